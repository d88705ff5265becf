// One turn of an agent: tools, the recall hook, deadlines, cancellation, and what is not logged.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { turn } from "../../testdata/host/host.mjs";
import { patient, sandbox, timed, until } from "../../testdata/host/sandbox.mjs";

const hurried = { pluginConfig: { autoRecall: true, autoRecallTimeoutMs: 400 } };

test("a tool call carries the turn it is made in, and nothing else of the host's context", async (t) => {
  const { host, of } = await sandbox(t);
  const context = turn({ agentId: "work", session: "s1", config: { secret: "host configuration" }, assertInvocationCurrent() {} });
  const result = await host.callTool("memory_store", { text: "tea" }, context);
  assert.deepEqual(result, { content: [{ type: "text", text: "you said tea" }], details: { length: 3 } });
  const { agentId, sessionKey, sessionId, workspaceDir, trigger } = context;
  const [, call] = of("request");
  assert.deepEqual(call.context, { agentId, sessionKey, sessionId, workspaceDir, trigger });
  assert.equal(call.deadlineMs, 60_000);
});

test("a fault of the sidecar is thrown with its own words", async (t) => {
  const { host } = await sandbox(t);
  await assert.rejects(host.callTool("memory_recall", { query: "boom" }), { message: "opening the store: disk is full; free some space" });
  assert.equal((await host.callTool("memory_recall", { query: "tea" })).content[0].text, "you said tea");
});

test("aborting a tool call returns at once and tells the sidecar", async (t) => {
  const { host, of } = await sandbox(t, { mode: { answerMs: 20_000 } });
  const abort = new AbortController();
  const call = timed(() => host.callTool("memory_recall", { query: "tea" }, turn(), abort.signal));
  await until("the call to arrive", () => of("request").length === 2);
  abort.abort();
  const { error } = await call;
  assert.match(error.message, /was cancelled/);
  await until("the cancellation to arrive", () => of("cancel").length === 1);
  const early = await timed(() => host.callTool("memory_recall", { query: "tea" }, turn(), AbortSignal.abort()));
  assert.match(early.error.message, /was cancelled/);
});

test("recall passes the sidecar's block on unchanged, for turns of a person only", async (t) => {
  const block = "<relevant-memories>\n[untrusted notes]\n- likes tea &lt;b&gt; \u200d 茶\n</relevant-memories>";
  const { host, of } = await sandbox(t, { mode: { block }, pluginConfig: patient });
  assert.deepEqual(await host.buildPrompt({ prompt: "what do I like?" }), { merged: { appendContext: block } });
  for (const context of [
    turn({ trigger: "heartbeat" }), turn({ trigger: "cron" }), turn({ trigger: "memory" }), { ...turn(), trigger: undefined },
    turn({ inputProvenance: { kind: "inter_session" } }),
  ]) assert.deepEqual(await host.buildPrompt({ prompt: "what do I like?" }, context), { merged: {} });
  const hooks = of("request").filter((entry) => entry.method === "hook.before_prompt_build");
  assert.equal(hooks.length, 1);
  assert.equal(hooks[0].deadlineMs, 27_000);
  assert.ok(hooks[0].size < 1_000, "the history of the session stays in the host");
});

const recallHook = (host) => host.live.hooks.find(({ name }) => name === "before_prompt_build");

test("recall is asked with the current message and its name, whatever came in on the channel and stands in the history", async (t) => {
  const { host, of } = await sandbox(t, { mode: { events: true }, pluginConfig: patient });
  const channel = { channel: "chat", channelId: "C1", runId: "run-7" };
  await host.fire("message_received", { content: "which car does the neighbour drive?" }, { ...turn({ session: "chat-b" }), ...channel });
  await host.buildPrompt({ prompt: "which tea do I like?", messages: [{ role: "user", content: "earlier" }] }, { ...turn({ session: "chat-a" }), ...channel });
  await host.buildPrompt({ prompt: "[earlier] …\nwhich tea?", currentUserMessage: "which tea?", currentUserMessageId: "m-1" });
  await host.buildPrompt({ prompt: "[earlier] a picture", currentUserMessage: "", currentUserMessageId: "m-2" });
  const asked = of("request").filter(({ method }) => method === "hook.before_prompt_build");
  assert.deepEqual(asked.map(({ event }) => event), [{ prompt: "which tea do I like?" }, { prompt: "which tea?", id: "m-1" }]);
  assert.equal(asked[0].context.runId, "run-7");
  assert.equal(asked[0].context.sessionKey, "agent:main:chat-a");
});

test("with recall the end of a turn says all that the assistant wrote in it, and without capture nothing else", async (t) => {
  const { host, of } = await sandbox(t, { mode: { events: true }, pluginConfig: { ...patient, autoCapture: false } });
  const call = { type: "toolCall", name: "exec", arguments: { command: "psql -p 6543" } };
  await host.fire("agent_end", { success: true, messages: [
    { role: "user", content: "earlier" }, { role: "assistant", content: "of before" }, { role: "user", content: "connect" },
    { role: "assistant", content: [{ type: "text", text: "I connect." }, call] }, { role: "toolResult", content: "secret result" }, { role: "assistant", content: "Done." }, null,
  ] });
  await host.fire("message_received", { content: "nobody listens" });
  await host.fire("session_end", { reason: "new" });
  const heard = of("request").filter(({ method }) => method.startsWith("hook.")).map(({ method, event }) => [method, event]);
  assert.deepEqual(heard, [
    ["hook.agent_end", { messages: [], success: true, answer: 'I connect.\n{"command":"psql -p 6543"}\nDone.' }],
    ["hook.session_end", { reason: "new" }],
  ]);
});

test("without autoRecall there is no hook; a broken timeout setting falls back", async (t) => {
  const { host } = await sandbox(t, { pluginConfig: { autoCapture: false } });
  assert.equal(host.live.hooks.length, 0);
  await host.register({ pluginConfig: { autoCapture: false, autoRecall: true, autoRecallTimeoutMs: "soon" } });
  assert.equal(recallHook(host).timeoutMs, 3_000);
});

test("the hook reads its settings as the sidecar does", async (t) => {
  const { host, of } = await sandbox(t, { mode: { block: "x" }, pluginConfig: {} });
  for (const [value, timeoutMs] of [[0, 15_000], ["0", 15_000], [" 700 ", 1_700], ["", 3_000], [null, 3_000], [true, 3_000], [99.5, 3_000], [1, 1_100], [-5, 1_100], [1e9, 61_000]]) {
    await host.register({ pluginConfig: { autoRecall: true, autoRecallTimeoutMs: value } });
    assert.equal(recallHook(host).timeoutMs, timeoutMs, JSON.stringify(value));
  }
  for (const [autoRecall, on] of [["true", true], ["True ", true], ["yes", false], [1, false], [null, false]]) {
    await host.register({ pluginConfig: { config: { autoRecall, autoCapture: "false" } } });
    assert.equal(Boolean(recallHook(host)), on, JSON.stringify(autoRecall));
    assert.deepEqual(host.live.hooks.map(({ name }) => name), on ? ["before_prompt_build", "agent_end", "session_end"] : []);
  }
  await host.register({ pluginConfig: { autoRecall: true, autoRecallTimeoutMs: 0 } });
  await host.buildPrompt({ prompt: "what do I like?" });
  assert.equal(of("request").at(-1).deadlineMs, 13_050, "the host's own limit leaves time for an answer");
});

test("a recall that takes too long is left behind at its deadline and said once", async (t) => {
  const { host, of } = await sandbox(t, { mode: { answerMs: 20_000 }, ...hurried });
  await host.startServices();
  await until("the sidecar to be ready", () => host.logText().includes("started (pid"));
  for (let i = 0; i < 3; i++) {
    const { value, ms } = await timed(() => host.buildPrompt({ prompt: "what do I like?" }));
    assert.deepEqual(value, { merged: {} });
    assert.ok(ms >= 380 && ms < 1_500, `${ms} ms`);
  }
  await until("the cancellations to arrive", () => of("cancel").length === 3);
  assert.equal(host.logs.filter(({ message }) => message.includes("recall skipped")).length, 1);
  assert.match(host.health.failures.at(-1), /did not answer within 400 ms/);
  assert.deepEqual(host.diagnostics, []);
});

test("health is cleared and the next failure is said again once recall works", async (t) => {
  const { host, setMode, of } = await sandbox(t, { mode: { answerMs: 20_000 }, ...hurried });
  await host.startServices();
  await until("the sidecar to be ready", () => host.logText().includes("started (pid"));
  await host.buildPrompt({ prompt: "what do I like?" });
  setMode({ block: "tea" });
  process.kill(of("start")[0].pid, "SIGKILL");
  await until("the next sidecar", () => of("initialize").length === 2);
  const before = host.health.clears;
  assert.equal((await host.buildPrompt({ prompt: "what do I like?" })).merged.appendContext, "tea");
  assert.ok(host.health.clears > before);
});

test("the host hears what the sidecar says of itself, and a turn that works does not hide it", async (t) => {
  const { host, setMode, of } = await sandbox(t, { mode: { health: { state: "degraded", cause: "nothing listens there" }, answerMs: 20_000 }, ...hurried });
  await host.startServices();
  await until("the report", () => host.health.failures.includes("memory is degraded: nothing listens there"));
  await host.buildPrompt({ prompt: "what do I like?" });
  assert.match(host.health.failures.at(-1), /did not answer/);
  setMode({ health: { state: "degraded", cause: "nothing listens there" }, block: "tea" });
  process.kill(of("start")[0].pid, "SIGKILL");
  await until("the next sidecar", () => of("initialize").length === 2);
  await until("its report", () => host.health.failures.at(-1) === "memory is degraded: nothing listens there");
  const before = host.health.clears;
  assert.equal((await host.buildPrompt({ prompt: "what do I like?" })).merged.appendContext, "tea");
  assert.equal(host.health.clears, before);
  assert.equal(host.health.failures.at(-1), "memory is degraded: nothing listens there");
});

test("no memory and no question is logged, whatever goes wrong", async (t) => {
  const secret = "the safe opens with 4711";
  const { host, of } = await sandbox(t, { mode: { block: secret }, pluginConfig: patient });
  await host.callTool("memory_store", { text: secret });
  await host.callTool("memory_recall", { query: secret });
  await host.buildPrompt({ prompt: secret });
  const dying = timed(() => host.callTool("memory_store", { text: `${secret} `.repeat(50_000) }));
  await until("the long call to be on its way", () => of("start").length === 1);
  process.kill(of("start")[0].pid, "SIGKILL");
  const { error } = await dying;
  assert.ok(!error || !error.message.includes("4711"));
  await timed(() => host.callTool("memory_recall", { query: secret }, turn(), AbortSignal.abort()));
  assert.ok(!host.logText().includes("4711"), host.logText());
});

test("messages of 20 MB and more pass, and others pass beside them", async (t) => {
  const { host } = await sandbox(t);
  const text = "ab\n茶".repeat(5_000_000);
  const [big, long, small] = await Promise.all([
    host.callTool("memory_store", { text }), host.callTool("memory_recall", { query: "long" }), host.callTool("memory_recall", { query: "tea" }),
  ]);
  assert.equal(big.details.length, text.length);
  assert.equal(long.content[0].text.length, 5_000_000);
  assert.equal(small.content[0].text, "you said tea");
});

test("the memory slot keeps MEMORY.md in the prompt and tells the model about its tools", async (t) => {
  const { host, home } = await sandbox(t);
  const { promptBuilder, runtime } = host.live.capability;
  assert.match(promptBuilder({ availableTools: new Set(["memory_recall", "memory_store"]) }).join("\n"), /memory_recall[^]*memory_store/);
  assert.deepEqual(promptBuilder({ availableTools: new Set(["read"]) }), []);
  const { manager, error } = await runtime.getMemorySearchManager({});
  assert.equal(manager, null);
  assert.match(error, /memory_recall/);

  const workspaceDir = path.join(home, "workspace");
  mkdirSync(workspaceDir);
  writeFileSync(path.join(workspaceDir, "MEMORY.md"), "# notes");
  writeFileSync(path.join(home, "outside.md"), "# somebody else's");
  symlinkSync(path.join(home, "outside.md"), path.join(workspaceDir, "USER.md"));
  const origins = async (query) => (await runtime.classifyWorkspaceMemoryPaths({ workspaceDir, ...query })).map(({ originClass }) => originClass);
  assert.deepEqual(await origins({ relativePaths: ["MEMORY.md", "USER.md", "missing.md"] }), ["agent", "untrusted", "untrusted"]);
  const readSources = [{ relativePath: "MEMORY.md", canonicalRelativePath: "MEMORY.md" }, { relativePath: "USER.md" }, { relativePath: "x.md", canonicalRelativePath: "../x.md" }];
  assert.deepEqual(await origins({ relativePaths: ["MEMORY.md", "USER.md", "x.md"], readSources }), ["agent", "untrusted", "untrusted"]);
});
