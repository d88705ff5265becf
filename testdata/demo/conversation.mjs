// A conversation of ten days that nobody stores anything in: what is worth remembering is captured after
// each turn, by rules, without a model. The noise in it must leave nothing behind.
import { readFileSync } from "node:fs";
import { ask, dim, green, inSession, lines, phase, red, withHost } from "./show.mjs";

const textOf = ({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join("\n"));

/** Plays the sessions turn by turn; the host hands over the whole session after each turn. */
async function converse(host, sessions) {
  for (const { session, day, trigger, messages } of sessions) {
    const context = inSession(session, { trigger });
    for (const [i, message] of messages.entries()) {
      if (message.role === "assistant") await host.fire("agent_end", { messages: messages.slice(0, i + 1), success: true }, context);
    }
    await host.fire("session_end", { sessionId: context.sessionId, reason: "idle" }, context);
    console.log(`   ${day}  ${session.padEnd(26)} ${dim(textOf(messages[0]).replace(/\s+/g, " ").slice(0, 70))}`);
  }
}

/** Returns what was not as promised. */
export async function conversation(home) {
  const failed = [];
  const sessions = lines("conversation/sessions.jsonl"), questions = lines("conversation/questions.jsonl");
  const never = JSON.parse(readFileSync(new URL("conversation/never.json", import.meta.url), "utf8"));
  await phase(`${sessions.length} sessions of conversation; what matters is captured after each turn, no model and no key`, () => withHost(home, "conversation", (host) => converse(host, sessions)));
  await phase(`the sidecar was restarted; ${questions.length} questions in other words, each in a new session`, () => withHost(home, "conversation", async (host) => {
    const kept = new Set();
    for (const [i, { question, expect }] of questions.entries()) {
      if (!(await ask(host, i + 1, question, ({ text }) => text.includes(expect)))) failed.push(question);
    }
    for (const query of [...never, ...questions.map(({ question }) => question)]) {
      const { details } = await host.callTool("memory_recall", { query, limit: 20, includeFullText: true });
      details.memories.forEach(({ text }) => kept.add(text));
    }
    console.log(`\n   ${kept.size} memories of ${sessions.reduce((sum, { messages }) => sum + messages.filter(({ role }) => role === "user").length, 0)} messages:`);
    for (const text of kept) {
      const bad = never.find((word) => text.includes(word));
      console.log(`   - ${bad ? red(text) : text}`);
      if (bad) failed.push(`"${bad}" was remembered`);
    }
    if (!failed.some((why) => why.includes("remembered"))) console.log(green("   no greeting, command, heartbeat, envelope, question or stack trace among them"));
  }));
  return failed;
}
