// The sidecar's life as the host sees it: started once and late, restarted, ended in order.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, rmSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { createHost, loadPlugin, turn } from "../../testdata/host/host.mjs";
import { FAKE, alive, best, patient, sandbox, timed, until } from "../../testdata/host/sandbox.mjs";

const MANAGEMENT = ["memory_debug", "memory_explain_rank", "memory_stats"];
const everyday = (host) => host.declaredTools.filter((name) => !MANAGEMENT.includes(name));

test("registering starts nothing; each mode registers what it may", async (t) => {
  const { host, of } = await sandbox(t, { register: false });
  const full = await host.register();
  const parts = ({ seen }) => ({ tools: [...seen.tools.keys()].sort(), cli: seen.cli.length, services: seen.services.length, capability: Boolean(seen.capability) });
  const everything = { tools: everyday(host), cli: 1, services: 1, capability: true };
  assert.deepEqual(parts(full), everything);
  assert.deepEqual(parts(await host.register({ mode: "discovery" })), everything);
  assert.deepEqual(parts(await host.register({ mode: "tool-discovery" })), everything);
  assert.deepEqual(parts(await host.register({ mode: "cli-metadata" })), { tools: [], cli: 1, services: 0, capability: false });
  assert.deepEqual(parts(await host.register({ mode: "setup-only" })), { tools: [], cli: 0, services: 0, capability: false });
  assert.deepEqual(of("start"), []);
  assert.deepEqual(host.diagnostics, []);
  assert.equal(host.tool("memory_recall").catalogMode, "direct-only");
});

test("registered three times: no tool and no command twice", async (t) => {
  const { host } = await sandbox(t, { register: false });
  for (let i = 0; i < 3; i++) {
    const { seen } = await host.register();
    assert.deepEqual(seen.cli.flatMap(({ options }) => options.commands), ["memory-pro"]);
    assert.deepEqual([...seen.tools.keys()].sort(), everyday(host));
  }
  assert.deepEqual(host.diagnostics, [], "the host saw no name twice, and none that the manifest does not declare");
});

test("the tools for managing come when they are asked for", async (t) => {
  const { host } = await sandbox(t, { register: false });
  for (const wanted of [true, "true", " TRUE "]) {
    const { seen } = await host.register({ pluginConfig: { enableManagementTools: wanted } });
    assert.deepEqual([...seen.tools.keys()].sort(), host.declaredTools);
    assert.deepEqual(Object.keys(seen.tools.get("memory_debug")(turn())).sort(), ["description", "execute", "label", "name", "parameters"]);
  }
  assert.deepEqual([...(await host.register({ pluginConfig: { enableManagementTools: "no" } })).seen.tools.keys()].sort(), everyday(host));
  assert.deepEqual(host.diagnostics, []);
});

test("registered many times: one sidecar, one injection, and a failed attempt can be repeated", async (t) => {
  const { host, of } = await sandbox(t, { register: false, mode: { block: "<relevant-memories>tea</relevant-memories>" }, pluginConfig: patient });
  const plugin = await loadPlugin();
  let broken = true;
  const { api, seen } = host.createApi({ overrides: { registerService: (service) => {
    if (broken) throw new Error("not yet");
    seen.services.push(service);
  } } });
  assert.throws(() => plugin.register(api), /not yet/);
  broken = false;
  for (let i = 0; i < 5; i++) plugin.register(api);
  assert.deepEqual(seen.hooks.map(({ name }) => name).sort(), ["agent_end", "before_prompt_build", "message_received", "session_end"], "each hook once");
  assert.equal(seen.services.length, 1);
  assert.equal(seen.cli.length, 1);
  host.live = seen;

  for (let i = 0; i < 10; i++) await host.register({ mode: i % 2 ? "discovery" : "full" });
  await host.startServices();
  const { merged } = await host.buildPrompt({ prompt: "what do I like?" });
  assert.equal(merged.appendContext, "<relevant-memories>tea</relevant-memories>");
  assert.equal(of("request").filter((entry) => entry.method === "hook.before_prompt_build").length, 1);
  assert.equal(of("start").length, 1);
  assert.deepEqual(host.diagnostics, []);
});

test("a changed configuration replaces the sidecar at the next call, after the old one has ended", async (t) => {
  const { host, of } = await sandbox(t, { pluginConfig: { autoRecallMaxItems: 3 } });
  await host.callTool("memory_recall", { query: "tea" });
  await host.register({ pluginConfig: { autoRecallMaxItems: 3 } });
  await host.callTool("memory_recall", { query: "tea" });
  assert.equal(of("start").length, 1, "the same configuration keeps it");
  await host.register({ pluginConfig: { autoRecallMaxItems: 5 } });
  await host.callTool("memory_recall", { query: "tea" });
  const kinds = host.apis.length && of("initialize").map((entry) => entry.params.config.autoRecallMaxItems);
  assert.deepEqual(kinds, [3, 5]);
  const [first, second] = of("start");
  assert.ok(!alive(first.pid) && alive(second.pid));
  assert.equal(of("eof")[0].pid, first.pid, "it was asked to end, not killed");
});

test("initialize hands over configuration, state directory, agents and versions", async (t) => {
  const { host, of } = await sandbox(t, { pluginConfig: { dbPath: "/somewhere" }, agents: ["main", "work"] });
  await host.callTool("memory_recall", { query: "tea" });
  const { params } = of("initialize")[0];
  assert.deepEqual({ ...params, pluginVersion: undefined }, {
    protocolVersion: 1, pluginVersion: undefined, hostVersion: "2026.9.6", stateDir: host.stateDir, agents: ["main", "work"], config: { dbPath: "/somewhere" },
  });
  assert.match(params.pluginVersion, /^\d+\.\d+\.\d+/);
});

test("killed while calls are under way: they fail within a second, the next call works", async (t) => {
  const { host, pid, of, setMode } = await sandbox(t, { mode: { answerMs: 20_000 }, pluginConfig: patient });
  await host.startServices();
  const calls = [
    timed(() => host.callTool("memory_recall", { query: "tea" })),
    timed(() => host.callTool("memory_store", { text: "tea" })),
    timed(() => host.buildPrompt({ prompt: "what do I like?" })),
  ];
  await until("three calls to arrive", () => of("request").length === 4);
  setMode({});
  const first = pid();
  const killed = performance.now();
  process.kill(first, "SIGKILL");
  const [recall, store, hook] = await Promise.all(calls);
  assert.ok(performance.now() - killed < 1_000, `${performance.now() - killed} ms`);
  assert.match(recall.error.message, /tool\.memory_recall failed: memory sidecar was ended by SIGKILL/);
  assert.match(store.error.message, /was ended by SIGKILL/);
  assert.deepEqual(hook.value, { merged: {} });
  const next = await host.callTool("memory_recall", { query: "tea" });
  assert.equal(next.content[0].text, "you said tea");
  assert.notEqual(pid(), first);
  assert.match(host.health.failures.join("\n"), /was ended by SIGKILL/);
  assert.ok(host.health.clears > 0, "health is clear again");
});

for (const [what, make, why] of [
  ["missing", () => "/nonexistent/memory-pro", /cannot run: .*ENOENT/],
  ["leaving at once", () => FAKE, /exited with code 3: .*cannot find my library/],
]) {
  test(`a binary that is ${what}: bounded restarts, the host stays up, the status says why`, async (t) => {
    const { host, of } = await sandbox(t, { binary: make(), mode: { exit: 3 }, pluginConfig: { autoRecall: true } });
    await host.startServices();
    const gaveUp = () => host.logs.some(({ message }) => message.includes("next attempt in 60 s"));
    await until("the shim to give up", gaveUp);
    const call = await timed(() => host.callTool("memory_recall", { query: "tea" }));
    assert.ok(call.ms < 1_000, `refused in ${call.ms} ms`);
    assert.match(call.error.message, /memory is unavailable/);
    assert.match(call.error.message, why);
    assert.deepEqual(await host.buildPrompt({ prompt: "what do I like?" }), { merged: {} });
    await until("the countdown in the error to move on", async () => (await timed(() => host.callTool("memory_recall", { query: "tea" }))).error.message !== call.error.message);
    assert.deepEqual(await host.buildPrompt({ prompt: "what do I like?" }), { merged: {} });
    assert.equal(host.logs.filter(({ message }) => message.includes("recall skipped")).length, 1, "said once");
    assert.match(host.health.failures.at(-1), why);
    assert.equal(host.logs.filter(({ level }) => level === "warn" || level === "error").length < 20, true, "a short log");
    if (make() === FAKE) assert.equal(of("start").length, 5);
  });
}

test("a binary that appears later is used after the next start of the service", async (t) => {
  const { host, home } = await sandbox(t, { binary: "/nonexistent/memory-pro" });
  await host.startServices();
  await until("the shim to give up", () => host.logs.some(({ message }) => message.includes("next attempt in 60 s")));
  process.env.MEMORY_PRO_BIN = path.join(home, "memory-pro");
  copyFileSync(FAKE, process.env.MEMORY_PRO_BIN);
  chmodSync(process.env.MEMORY_PRO_BIN, 0o755);
  await host.stopServices();
  await host.register();
  await host.startServices();
  assert.equal((await host.callTool("memory_recall", { query: "tea" })).content[0].text, "you said tea");
  rmSync(process.env.MEMORY_PRO_BIN);
});

test("another protocol version is an error that names both", async (t) => {
  const { host } = await sandbox(t, { mode: { version: 7 } });
  const { error } = await timed(() => host.callTool("memory_recall", { query: "tea" }));
  assert.match(error.message, /protocol version 7 wanted, 1 offered/);
});

test("the service's stop and the memory's close end the sidecar; afterwards it starts again only for a live plugin", async (t) => {
  const { host, pid, of } = await sandbox(t);
  await host.startServices();
  await host.callTool("memory_recall", { query: "tea" });
  await host.closeMemory();
  assert.ok(!alive(pid()));
  await host.callTool("memory_recall", { query: "tea" });
  assert.equal(of("start").length, 2);
  await host.stopServices();
  assert.ok(!alive(pid()));
  assert.match((await timed(() => host.callTool("memory_recall", { query: "tea" }))).error.message, /is stopped/);
  assert.equal(of("start").length, 2);
});

test("a sidecar that will not end is killed within three seconds", async (t) => {
  const { host, pid, of } = await sandbox(t, { mode: { stubborn: true } });
  await host.callTool("memory_recall", { query: "tea" });
  const { ms } = await timed(() => host.stop());
  assert.ok(ms < 3_000, `${ms} ms`);
  assert.ok(!alive(pid()));
  assert.deepEqual(["eof", "sigterm"].map((kind) => of(kind).length), [1, 1], "asked twice before");
});

test("a one-shot process can leave without closing, and the sidecar goes with it", async (t) => {
  const { home, pid, of } = await sandbox(t, { register: false });
  const script = `import { createHost } from ${JSON.stringify(fileURLToPath(new URL("../../testdata/host/host.mjs", import.meta.url)))};
    const host = await createHost({ home: ${JSON.stringify(home)} });
    console.log((await host.callTool("memory_recall", { query: "tea" })).content[0].text);`;
  const { value, ms } = await timed(() => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]));
  assert.equal(value.stdout, "you said tea\n");
  assert.ok(ms < 10_000);
  await until("the sidecar to see the end of its stdin", () => of("eof").length === 1);
  await until("the sidecar to be gone", () => !alive(pid()));
});

test("the loop of the host is never held up, however slow the sidecar starts", (t) => best(3, async () => {
  const { host } = await sandbox(t, { register: false, mode: { startMs: 400, block: "tea" }, pluginConfig: { autoRecall: true } });
  const lag = monitorEventLoopDelay({ resolution: 5 });
  const plugin = await loadPlugin();
  const { api, seen } = host.createApi();
  lag.enable();
  const begun = performance.now();
  plugin.register(api);
  assert.ok(performance.now() - begun < 200, "register()");
  host.live = seen;
  const { value, ms } = await timed(() => host.buildPrompt({ prompt: "what do I like?" }, turn()));
  lag.disable();
  assert.equal(value.merged.appendContext, "tea");
  assert.ok(ms < 2_500, `first recall took ${ms} ms`);
  assert.ok(lag.max / 1e6 < 100, `loop lag ${lag.max / 1e6} ms`);
}));

test("two hosts in one process still share one sidecar: the newest registration decides", async (t) => {
  const { host, home, of } = await sandbox(t);
  const other = await createHost({ home });
  await Promise.all([host.callTool("memory_recall", { query: "tea" }), other.callTool("memory_recall", { query: "tea" })]);
  assert.equal(of("start").length, 1);
});
