// The whole path on a real OpenClaw gateway, without a key: install the packed plugin, remember in one turn
// and from the words of another, find both in other sessions, lose the sidecar and restart the gateway in
// between, stop without leaving anything behind. The host is slow: what can run side by side does.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { textOf } from "../host/openai.mjs";
import { alive, until } from "../host/sandbox.mjs";
import { createGateway } from "./gateway.mjs";
import { installHost } from "./install.mjs";
import { startModel } from "./model.mjs";
import { filesOf, listed, pack } from "./pack.mjs";
import { judgePlaces, measurePlaces, withProbe } from "./places.mjs";
import { PROVIDED, measureFaults, withProviders } from "./providers.mjs";

const ID = "memory-lancedb-pro";
const folder = fileURLToPath(new URL("../../build/package", import.meta.url));
const FACT = "The staging database of project Heron listens on port 6543.";
const QUESTION = "Which port does the staging database of Heron use?";
const SAID = "My daughter Nora is allergic to cashews and pistachios, peanuts are fine.";
const NUTS = "Which nuts must I keep away from the child?";
const NOTE = "Marker of the workspace notes: heron-notes-in-prompt.";

let model, gateway, tarball, binary;

/** A step with its time; each one builds on those before it, so after a failure the rest is skipped. */
let failed = false;
const begunAll = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
function step(title, work) {
  test(title, async (t) => {
    if (failed) return t.skip("an earlier step failed");
    const begun = performance.now();
    let note;
    try {
      note = await work();
    } catch (error) {
      failed = true;
      console.error(`gateway log:\n${gateway ? tail(gateway.log) : "(none)"}`);
      throw error;
    } finally {
      console.log(`== gateway: ${title}${note ? `: ${note}` : ""} (${seconds(begun)})`);
    }
  });
}

const tail = (log) => { try { return log().split("\n").slice(-40).join("\n"); } catch { return "(none)"; } };

/** What a process occupies, of it what is its own, and the most it ever had. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mb = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024);
  return `sidecar has ${mb("VmRSS")} MB resident (${mb("RssAnon")} MB its own, peak ${mb("VmHWM")} MB)`;
}

/** Takes a turn; tells how long the model's request took to come, and how long the turn was for the gateway. */
async function ask(said, session, fact) {
  const begun = Date.now();
  const { meta } = await gateway.say(said, `agent:main:${session}`);
  const { at } = model.assertRecalled(said, fact);
  return `the model was asked ${((at - begun) / 1000).toFixed(1)} s after the command, in a turn of ${meta.durationMs} ms`;
}

async function noneLeft() {
  await until("every process of the gateway to be gone", () => gateway.processes().length === 0, 10_000)
    .catch((error) => assert.fail(`${error.message}: ${JSON.stringify(gateway.processes())}`));
}

async function stop() {
  const { code, signal } = await gateway.stop();
  assert.ok(code === 0 || signal === "SIGTERM", `ended with ${code ?? signal}`);
  await noneLeft();
}

const memories = async () => {
  const { code, stdout, stderr } = await gateway.memoryPro(binary, "list", "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
};

before(async () => {
  if (!existsSync(path.join(folder, "package.json"))) throw new Error("build/package is missing; run `make package` first");
  model = await startModel(FACT);
});
after(async () => {
  await gateway?.cleanup();
  await model?.close();
  console.log(`== gateway: everything (${seconds(begunAll)})`);
});

step("Node and OpenClaw are there", async () => {
  installHost();
  gateway = await createGateway({
    modelURL: model.url,
    pluginConfig: { autoRecall: true, autoRecallTimeoutMs: 10_000 }, // the machine may be busy; the turn's own budget is not what is tested here
  });
  writeFileSync(path.join(gateway.workspace, "MEMORY.md"), `# Notes\n\n${NOTE}\n`);
});

step("the package is a tarball, with all its files", async () => {
  const files = listed(folder);
  assert.deepEqual(files.map(({ path: name }) => name), filesOf(folder), "npm takes every file");
  for (const { path: name, mode } of files) assert.equal(mode, name.startsWith("bin/") ? 0o755 : 0o644, name);
  tarball = path.join(gateway.home, `${ID}.tgz`);
  return `${Math.round(await pack(folder, files.map(({ path: name }) => name), tarball) / 1e6)} MB, not compressed`;
});

step("`openclaw plugins install npm-pack:` takes it, no key asked for", async () => {
  const { code, stdout, stderr } = await gateway.run("plugins", "install", `npm-pack:${tarball}`, "--force", "--accept-capabilities");
  assert.equal(code, 0, stdout + stderr);
  const config = gateway.readConfig();
  assert.equal(config.plugins.slots.memory, ID);
  assert.equal(config.plugins.entries[ID].enabled, true);
  assert.equal(config.plugins.entries[ID].config.autoRecall, true);
  assert.doesNotMatch(JSON.stringify(config), /api_?key|embedding|secret/i, "no key, and no word on embeddings");
  rmSync(tarball); // the host keeps copies of its own
  const projects = path.join(gateway.stateDir, "npm/projects");
  binary = path.join(projects, filesOf(projects).find((name) => name.endsWith(`${ID}/bin/linux-x64/memory-pro`)));
  assert.equal(statSync(binary).mode & 0o777, 0o755, "the binary can be executed");
});

step("`openclaw plugins doctor` finds nothing; no value of a setting keeps the host from starting, and each is named", async () => {
  const wrong = (enabled) => {
    const config = gateway.readConfig();
    Object.assign(config.plugins.entries[ID], { enabled, config: {
      autoRecall: "yes", autoRecallMaxItems: "many", recallTopK: 5, zebra: { stripes: 1 }, decay: null, scopes: { agentAccess: ["x"] }, dreaming: 7,
      embedding: { apiKey: { source: "exec", id: "x" }, baseUrl: "http://127.0.0.1:1", dimensions: 1024.5, kind: true }, retrieval: { mode: "magic" },
    } });
    return config;
  };
  const [doctor, off, on] = await Promise.all([
    gateway.run("plugins", "doctor", "--json"), // not while a gateway starts: both want the state to themselves
    gateway.runWith(wrong(false), "off.json", "config", "validate"), // the host checks the entry of a plugin that is off, too
    gateway.runWith(wrong(true), "on.json", "memory-pro", "config"),
  ]);
  assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
  const { ok, pluginErrors, diagnostics, configurationWarnings } = JSON.parse(doctor.stdout);
  assert.deepEqual({ ok, pluginErrors, diagnostics, configurationWarnings }, { ok: true, pluginErrors: [], diagnostics: [], configurationWarnings: [] });
  assert.equal(off.code, 0, off.stdout + off.stderr);
  assert.equal(on.code, 2, on.stdout + on.stderr);
  for (const named of ["autoRecall: ", "retrieval.mode: ", "embedding.baseURL", "retrieval.candidatePoolSize", "zebra"]) assert.ok(on.stderr.includes(named), `${named} in ${on.stderr}`);
});

step("the gateway starts, and the sidecar with it", async () => {
  const begun = performance.now();
  await gateway.start();
  const listening = seconds(begun);
  await until("the first sidecar", () => gateway.sidecars().length === 1, 120_000);
  return `listening after ${listening}, the sidecar after ${seconds(begun)}`;
});

step("a turn stores a memory through the tool", async () => {
  const result = await gateway.say("[remember] where staging listens", "agent:main:first");
  assert.match(result.payloads[0].text, /Noted/);
  const { tools, messages } = model.requests.chat.at(-1);
  const names = tools.map((tool) => tool.function.name);
  assert.ok(names.includes("memory_store") && names.includes("memory_recall"), `the model sees both tools as they are: ${names}`);
  assert.match(textOf(messages.findLast((m) => m.role === "tool")), /staging database/);
});

step("a turn of another session is asked with the memory behind the question", async () => {
  const note = await ask(QUESTION, "second", FACT);
  return `${note}; ${memoryOf(gateway.sidecars().at(-1))}`;
});

step("MEMORY.md of the workspace still reaches the model", async () => {
  const { system } = model.requestOf(QUESTION);
  assert.ok(system.includes(NOTE));
  assert.match(system, /## Long-term memory/);
});

step("the sidecar is killed: the next turn works, with a new one", async () => {
  const [first] = gateway.sidecars();
  process.kill(first, "SIGKILL");
  const note = await ask(`${QUESTION} Asked again.`, "third", FACT);
  const pids = gateway.sidecars();
  assert.ok(pids.length >= 2 && !alive(first) && alive(pids.at(-1)), `sidecars: ${pids}`);
  return note;
});

step("something is only said, and no tool is called for it", async () => {
  await gateway.say(SAID, "agent:main:fourth");
  const { messages } = model.requestOf(SAID).body;
  assert.ok(!messages.some((m) => m.role === "tool"));
});

step("the gateway stops and leaves no process; what was said is kept", async () => {
  await stop();
  const kept = await memories();
  assert.deepEqual(kept.map(({ text }) => text).sort(), [SAID, FACT].sort(), "the fact, what was said, and none of the questions");
  const [said, fact] = [SAID, FACT].map((wanted) => JSON.parse(kept.find(({ text }) => text === wanted).metadata));
  assert.equal(said.source, "auto-capture");
  // What the first sidecar had counted went with it; the second one's turn was given the fact and used it.
  assert.deepEqual([fact.injected_count, fact.bad_recall_count, fact.last_confirmed_use_at > fact.valid_from], [1, 0, true], JSON.stringify(fact));
});

step("after its restart what was said is recalled in a new session, by meaning", async () => {
  withProbe(gateway);
  const begun = performance.now();
  await gateway.start();
  const listening = seconds(begun);
  const note = await ask(NUTS, "fifth", SAID);
  return `listening after ${listening}; ${note}; ${memoryOf(gateway.sidecars().at(-1))}`;
});

step("the plugin's commands print one JSON document and pass their exit codes on; its doctor is content", async () => {
  const [stats, missing, doctor] = await Promise.all([
    gateway.run("memory-pro", "stats", "--json"),
    gateway.run("memory-pro", "delete", "00000000-0000-4000-8000-000000000000", "--json"),
    gateway.run("memory-pro", "doctor", "--json"),
  ]);
  assert.equal(stats.code, 0, stats.stderr);
  const { memory } = JSON.parse(stats.stdout);
  assert.deepEqual([memory.totalCount, memory.scopeCounts], [2, { "agent:main": 2 }], stats.stdout);
  assert.equal(missing.code, 3, "no such memory");
  if (missing.stdout.trim()) JSON.parse(missing.stdout);
  const { ok, counts, checks } = JSON.parse(doctor.stdout);
  const found = (status) => checks.filter((check) => check.status === status).map(({ check, summary }) => `${check}: ${summary}`);
  assert.deepEqual([doctor.code, ok, found("fail"), found("warn")], [0, true, [], []], doctor.stdout);
  return `${counts.ok} checks well; to note: ${found("note").join("; ") || "nothing"}`;
});

step("recalled text stands where most of a request stays what it was", async () => {
  const places = await measurePlaces(gateway, model);
  return judgePlaces(places);
});

step("no provider that hangs, answers nonsense or refuses costs a turn more than its share", async () => {
  assert.equal(model.requests.embeddings.length, 0, "so far no provider was asked for embeddings");
  await withProviders(gateway, model, ID, false);
  const stored = await gateway.memoryPro(binary, "store", PROVIDED);
  assert.equal(stored.code, 0, stored.stderr);
  const embeddings = await measureFaults(gateway, model, "embeddings");
  await withProviders(gateway, model, ID, true);
  return `${embeddings}; ${await measureFaults(gateway, model, "rerank")}`;
});

step("the gateway stops again and leaves no process", async () => {
  const note = memoryOf(gateway.sidecars().at(-1));
  await stop();
  return note;
});
