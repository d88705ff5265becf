// What the sidecar hears of a conversation, and what it adds before a turn. Whatever goes wrong here, the turn goes on.
import type { Api, HookEvent } from "./host.js";
import { report, shared, sidecar } from "./launch.js";
import { METHODS, type AgentEndEvent, type MessageReceivedEvent, type PromptParams, type PromptResult, type SessionEndEvent, type SessionMessage } from "./protocol.gen.js";
import { hookSettings } from "./settings.js";
import { callContext } from "./tools.js";

/** The host hands over the whole session each time. Its end is enough: the sidecar knows what it has seen. */
const TURNS = 12, LONGEST = 32_000;

export function registerHooks(api: Api): void {
  const { autoCapture, autoRecall, captureAssistant, recallMs } = hookSettings(api.pluginConfig);
  const failures = new Map<string, string>();
  async function ask<Result>(method: string, call: object, timeoutMs: number, consequence: string): Promise<Result | undefined> {
    try {
      const result = await sidecar().call<Result>(method, call, timeoutMs);
      if (failures.delete(method) && !failures.size) report(shared().sidecar?.health ?? "");
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const reason = why.replace(/\d+/g, "#"); // whatever the seconds and the process numbers in it
      // Once for each new reason: a broken provider must not fill the log turn by turn.
      if (reason !== failures.get(method)) api.logger.warn(`${consequence}: ${why}`);
      failures.set(method, reason), report(why);
    }
  }
  const timeoutMs = recallMs || 14_500; // without a limit of our own, just under the 15 s the host gives the hook
  if (autoRecall) api.on("before_prompt_build", async ({ prompt: built, currentUserMessage: prompt = built, currentUserMessageId: id }, context) => {
    // Heartbeats, cron jobs, memory flushes and messages between agents are not a person's question.
    if (context.trigger !== "user" || context.inputProvenance?.kind === "inter_session" || !prompt) return undefined;
    // A little less for the sidecar, so that a partial answer still arrives in time.
    const call = { event: { prompt, id }, context: callContext(context), deadlineMs: Math.floor(timeoutMs * 0.9) } satisfies PromptParams;
    const found = await ask<PromptResult>(METHODS.beforePromptBuild, call, timeoutMs, "recall skipped, the turn goes on without memories");
    return found?.appendContext ? { appendContext: found.appendContext } : undefined;
  }, { priority: 10, ...(recallMs && { timeoutMs: recallMs + 1_000 }) });
  const forward = (hook: string, method: string, timeoutMs: number, heard: (event: HookEvent) => AgentEndEvent | MessageReceivedEvent | SessionEndEvent) => (autoCapture || autoRecall) && api.on(hook,
    async (event, context) => void await ask(method, { event: heard(event), context: callContext(context), deadlineMs: timeoutMs - 300 }, timeoutMs, `${hook} was not heard`), { timeoutMs: timeoutMs + 500 });
  forward("agent_end", METHODS.agentEnd, 10_000, ({ messages = [], success }) => ({ messages: autoCapture ? newest(messages, captureAssistant) : [], success: success === true, answer: autoRecall ? answerOf(messages) : undefined }));
  if (autoCapture) forward("message_received", METHODS.messageReceived, 5_000, ({ content }) => ({ content: textOf(content) }));
  forward("session_end", METHODS.sessionEnd, 1_500, ({ reason }) => ({ reason }));
}

/** The person's newest messages, texts alone; of the assistant only where it answered, unless its words count. */
function newest(messages: SessionMessage[], assistant: boolean): SessionMessage[] {
  const spoken = messages.filter((message) => message?.role === "user" || message?.role === "assistant");
  const from = spoken.indexOf(spoken.filter(({ role }) => role === "user").slice(-TURNS)[0]!);
  return spoken.slice(Math.max(from, 0)).map(({ role, content, timestamp }) => ({ role, content: role === "user" || assistant ? textOf(content) : undefined, timestamp: Number(timestamp) || undefined }));
}

/** All the assistant wrote since the person's last message, what it told its tools included. */
const answerOf = (messages: SessionMessage[]) => messages.slice(messages.map((message) => message?.role).lastIndexOf("user") + 1)
  .filter((message) => message?.role === "assistant").map(({ content }) => textOf(content, true)).join("\n").slice(0, LONGEST);

function textOf(content: unknown, tools = false): string {
  const parts = Array.isArray(content) ? content.map((part) => (part?.type === "text" ? part.text : tools && part?.type === "toolCall" && JSON.stringify(part.arguments))) : [content];
  return parts.filter((text) => text && typeof text === "string").join("\n").slice(0, LONGEST);
}
