package screen

import "testing"

func TestNoise(t *testing.T) {
	for _, text := range []string{
		"", "   ", "🙂🙂", "ok", "E10", "hi", "Hi!", "Hi there", "hello again!", "Hey everyone 👋", "Hi Mara,", "Good morning, team", "good evening",
		"Hello, how are you?", "Thanks a lot!", "thank you so much", "Got it, thanks", "OK, great.", "HEARTBEAT_OK", "HEARTBEAT", "New session started.", "ping",
		"I don't have any information about that project.", "I’m sorry, but I don’t have any memories of that.", "I do not recall what you said.", "No relevant memories found.",
		"Do you remember what my dog is called?", "do you still remember me?", "Can you recall which tea I like?", "Did I tell you about the move?", "What did I say about Berlin?",
		"You never remember anything", "why do you keep forgetting my name?", "What changed?", "Why is my memory broken?", "query -> none",
		"你好！", "大家好", "早上好", "谢谢", "好的", "收到。", "你还记得我的生日吗？", "记不记得上周的会议", "我之前说过什么？", "只回复NONE",
		"こんにちは", "ありがとうございます", "안녕하세요", "Guten Morgen", "Danke schön",
	} {
		if reason, noisy := Noise(text); !noisy || reason == "" {
			t.Errorf("%q passes", text)
		}
	}
	for _, text := range []string{
		// Words that merely begin like a greeting.
		"His birthday is 4 May", "History lectures are on Monday", "Hiking boots size 43", "Hilton is the preferred hotel in Vienna",
		"Heyward is the landlord", "Hiro prefers green tea", "Hello Kitty is Nora's favourite", "Hi-fi repair costs 80 euros", "Heybrook is where the boat lies",
		// A greeting with a fact behind it.
		"Hi, my name is Mara", "Good morning! The standup is at 09:30.", "Thanks, the badge number is 4417", "OK so we ship on Tuesdays",
		// Statements in the words of the gates.
		"I don't have access to the staging cluster", "I'm not sure about moving to Berlin", "Can you remember that my badge is 4417?", "Please remember: the gate closes at six",
		"Do you remember Anna? She moved to Lyon.", "What changed in v1.4.2 is the retry count", "The heartbeat interval is 30 seconds", "Test runs take nine minutes",
		"New session tokens expire after an hour", "No memory leaks since v2.1", "You never remember faces, said grandmother. I do.",
		"我爱喝乌龙茶", "你好世界是我们的测试项目", "谢谢卡放在抽屉里", "E1043 means the tray is empty", "SSO uses Okta",
	} {
		if reason, noisy := Noise(text); noisy {
			t.Errorf("%q is refused: %s", text, reason)
		}
	}
}

func TestSkipRecall(t *testing.T) {
	for _, prompt := range []string{
		"", "hi", "Hello there!", "thanks", "ok", "Go ahead", "continue please", "try again", "继续吧", "实施", "/new", "/memory stats", "👍👍", "HEARTBEAT", "[System] restarted",
		"ping", "test", "git status", "npm run build", "make lint", "cat ./go.mod", "run the tests", "build", "Hi Jonas", "fix it", "looks good",
		"[Thu 2026-02-12 07:05 CET] hi", "[cron:42 nightly] ping",
	} {
		if !SkipRecall(prompt) {
			t.Errorf("%q is not skipped", prompt)
		}
	}
	for _, prompt := range []string{
		"which gate does my train leave from", "remember me?", "my name?", "last time", "上次", "记得吗", "what did I order yesterday", "Did we decide on Go?", "E1043?", "why?  which one",
		"make me a plan for the garden this spring", "Cat food: which brand does Milo eat", "run the script you wrote for me last week", "git push fails, what was our rule?",
		"支付网关什么时候发布", "我下午喜欢喝什么茶？", "deploy svc-billing-eu2 to staging", "the usual, as always", "wie ist mein Name", "hi, which port does Postgres use on staging",
	} {
		if SkipRecall(prompt) {
			t.Errorf("%q is skipped", prompt)
		}
	}
	if !SkipRecallBelow("plan the garden work", 40) || SkipRecallBelow("plan the garden", 5) {
		t.Error("the shortest length is not honoured")
	}
}
