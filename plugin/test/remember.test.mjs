// Said in one session, known in the next: capture through the shim and the real sidecar.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { turn } from "../../testdata/host/host.mjs";
import { sandbox } from "../../testdata/host/sandbox.mjs";

const binary = process.env.MEMORY_PRO_BIN ?? fileURLToPath(new URL("../../build/package/bin/linux-x64/memory-pro", import.meta.url));
const skip = !existsSync(binary) && "build/package is missing: make package";
const pluginConfig = { autoRecall: true, autoRecallTimeoutMs: 30_000, retrieval: { mode: "hybrid" } };

/** A session as the host keeps it: the whole history with each turn, older messages as strings, the newest as parts. */
function session(host, id, context = {}) {
  const messages = [], where = turn({ session: id, sessionId: id, ...context });
  return {
    where, messages,
    async say(text, { success = true } = {}) {
      for (const message of messages) if (Array.isArray(message.content)) message.content = message.content.map((part) => part.text).join("");
      messages.push({ role: "user", content: [{ type: "text", text }], timestamp: Date.now() });
      if (success) messages.push({ role: "assistant", content: [{ type: "text", text: "I always prefer to say: noted." }], timestamp: Date.now() });
      await host.fire("agent_end", { messages: structuredClone(messages), success, durationMs: 1 }, where);
    },
    end: (reason = "shutdown") => host.fire("session_end", { sessionId: id, reason, messageCount: 0 }, where),
  };
}

async function known(host, query, session = "asking") {
  const { details } = await host.callTool("memory_recall", { query, limit: 20 }, turn({ session }));
  return details.memories.map(({ text }) => text);
}

test("what is said in one session is injected in the next, also after the sidecar was restarted", { skip }, async (t) => {
  const { host } = await sandbox(t, { binary, pluginConfig });
  const first = session(host, "first");
  await first.say("I am allergic to peanuts");
  await first.say("my dog is called Rex");
  await first.say("thanks, how is the weather?");
  await first.say("ok");
  await first.end();
  await host.stop();
  await host.register();
  const { merged } = await host.buildPrompt({ prompt: "What do you know of the peanuts I am allergic to?" }, turn({ session: "second" }));
  assert.match(merged.appendContext ?? "", /allergic to peanuts/);
  // The session goes on in the new process: its history is not captured again, its new turn is.
  await first.say("We decided to use PostgreSQL for billing");
  await first.end();
  assert.equal((await known(host, "peanuts dog Rex PostgreSQL billing allergic")).length, 3);
  assert.deepEqual(host.diagnostics, []);
  assert.ok(!host.logText().includes("peanuts"), "no words in the log");
});

test("nothing is kept of jobs, polls, sub-agents, failures and the assistant", { skip }, async (t) => {
  const { host } = await sandbox(t, { binary, pluginConfig });
  for (const context of [{ trigger: "cron" }, { trigger: "heartbeat" }, { trigger: "memory" }, { sessionKey: "agent:main:subagent:7f3a" }, { sessionKey: "agent:main:cron:daily" }]) {
    const one = session(host, "x", context);
    await one.say("I prefer tea over coffee");
    await one.end();
  }
  const failing = session(host, "failing");
  await failing.say("I hate coriander", { success: false });
  await failing.end();
  const poll = session(host, "poll");
  await poll.say("Read HEARTBEAT.md if it exists. I prefer tea. If nothing needs attention, reply HEARTBEAT_OK.");
  await poll.end();
  assert.deepEqual(await known(host, "tea coffee coriander noted"), []);
});

test("/new keeps the session's id; what comes after it is captured once", { skip }, async (t) => {
  const { host } = await sandbox(t, { binary, pluginConfig });
  const one = session(host, "one");
  await one.say("I prefer tea over coffee");
  await one.end("new");
  await one.say("my dog is called Rex");
  await one.end("reset");
  await one.say("I work at Siemens as a test engineer");
  await one.end();
  assert.deepEqual((await known(host, "tea coffee dog Rex Siemens engineer")).sort(), ["I prefer tea over coffee", "I work at Siemens as a test engineer", "my dog is called Rex"]);
});

test("stopped right after the words were heard: each is kept whole or not at all, and the end is quick", { skip }, async (t) => {
  const { host } = await sandbox(t, { binary, pluginConfig });
  await host.startServices();
  const said = ["I prefer tea over coffee", "my dog is called Rex", "I work at Siemens as a test engineer"];
  const one = session(host, "one");
  for (const text of said) await one.say(text);
  const begun = performance.now();
  await host.stop();
  assert.ok(performance.now() - begun < 5_000);
  await host.register();
  for (const text of await known(host, "tea coffee dog Rex Siemens engineer")) assert.ok(said.includes(text), text);
});
