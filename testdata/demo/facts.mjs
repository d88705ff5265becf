// Two weeks of facts that an agent keeps with memory_store, and eight questions in new sessions.
import { ask, dim, inSession, lines, phase, red, withHost } from "./show.mjs";

/** Stores every fact, one session a day; returns fact key → memory id. */
async function remember(host, facts) {
  const ids = new Map();
  const days = new Map();
  for (const fact of facts) days.set(fact.saidAt.slice(0, 10), [...(days.get(fact.saidAt.slice(0, 10)) ?? []), fact]);
  for (const [day, said] of days) {
    for (const { key, text, category, importance } of said) {
      const { details } = await host.callTool("memory_store", { text, category, importance }, inSession(day));
      if (details?.action !== "created") throw new Error(`"${text}" was not stored: ${JSON.stringify(details)}`);
      ids.set(key, details.id);
    }
    console.log(`   ${day}  ${String(said.length).padStart(2)} stored, the last: ${dim(said.at(-1).text)}`);
  }
  return ids;
}

/** Returns what was not as promised. */
export async function facts(home) {
  const failed = [];
  const said = lines("facts/facts.jsonl"), questions = lines("facts/questions.jsonl");
  const ids = await phase(`the agent keeps ${said.length} facts over two weeks (memory_store)`, () => withHost(home, "facts", (host) => remember(host, said)));
  await phase(`the sidecar was restarted; ${questions.length} questions, each in a new session (memory_recall)`, () => withHost(home, "facts", async (host) => {
    for (const [i, { question, expect }] of questions.entries()) {
      if (!(await ask(host, i + 1, question, ({ id }) => id === ids.get(expect)))) failed.push(question);
    }
  }));
  await phase("what a turn of the agent gets in front of the question, unasked (auto-recall)", () => withHost(home, "facts", async (host) => {
    const { merged } = await host.buildPrompt({ prompt: questions[0].question }, inSession("turn"));
    console.log((merged.appendContext ?? red("nothing was injected")).replace(/^/gm, "   "));
    if (!merged.appendContext) failed.push("auto-recall");
  }));
  return failed;
}
