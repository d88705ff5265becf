package protocol

// Names of the tools for whoever looks after the memory.
const (
	ToolDebug       = "memory_debug"
	ToolExplainRank = "memory_explain_rank"
	ToolStats       = "memory_stats"
)

// DefaultDebugLimit is how many memories the tools that explain look at.
const DefaultDebugLimit = 5

// management are the tools that come with enableManagementTools.
func management() []Tool {
	question := func() properties {
		return properties{
			{"query", schema{"type": "string", "minLength": 1, "maxLength": MaxQueryChars,
				"description": "The question to look into, as it would be asked of memory_recall."}},
			{"limit", schema{"type": "integer", "minimum": 1, "maximum": MaxLimit, "default": DefaultDebugLimit,
				"description": "How many memories at most, 1 to 20."}},
			{"scope", schema{"type": "string",
				"description": "Look only into this scope."}},
		}
	}
	return []Tool{
		{
			Name:  ToolDebug,
			Label: "Trace a recall",
			Hint:  "When the user asks why something was not recalled, follow the search with memory_debug.",
			Description: "Show step by step how a question is searched for: how many candidates each step took in and left, how long it took, " +
				"what it dropped, and what is left in the end. Counts as no recall.",
			Parameters: object([]string{"query"}, question()),
			Management: true,
			Method:     MethodToolDebug,
		},
		{
			Name:  ToolExplainRank,
			Label: "Explain a ranking",
			Hint:  "When the user asks why one memory comes before another, compare them with memory_explain_rank.",
			Description: "Show for each memory a question finds how its score came about, and what is known of it: state, layer, source, tier, " +
				"how often it was asked for and added unasked. Counts as no recall.",
			Parameters: object([]string{"query"}, question()),
			Management: true,
			Method:     MethodToolExplainRank,
		},
		{
			Name:  ToolStats,
			Label: "Count memories",
			Hint:  "When the user asks how much is remembered, or how well recall fares, look with memory_stats.",
			Description: "Count memories by scope and category, and say how recall fares: how many questions found nothing, how long they took, " +
				"what candidates were left out for.",
			Parameters: object([]string{}, properties{
				{"scope", schema{"type": "string", "description": "Count only this scope."}},
			}),
			Management: true,
			Method:     MethodToolStats,
		},
	}
}
