// The whole path on a real OpenClaw gateway: install the packed plugin, remember in one turn, find
// it in another session, lose the sidecar in between, stop without leaving anything behind.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startOpenAI, textOf } from "../host/openai.mjs";
import { alive, until } from "../host/sandbox.mjs";
import { createGateway } from "./gateway.mjs";
import { installHost } from "./install.mjs";

const packed = fileURLToPath(new URL("../../build/package", import.meta.url));
const FACT = "The staging database of project Heron listens on port 6543.";
const QUESTION = "Which port does the staging database of Heron use?";
const NOTE = "Marker of the workspace notes: heron-notes-in-prompt.";

let model, gateway;

/** A step with its time; each one builds on those before it, so after a failure the rest is skipped. */
let failed = false;
function step(title, work) {
  test(title, async (t) => {
    if (failed) return t.skip("an earlier step failed");
    const begun = performance.now();
    try {
      await work();
    } catch (error) {
      failed = true;
      console.error(`gateway log:\n${gateway ? tail(gateway.log) : "(none)"}`);
      throw error;
    } finally {
      console.log(`== gateway: ${title} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    }
  });
}

const tail = (log) => { try { return log().split("\n").slice(-40).join("\n"); } catch { return "(none)"; } };

/** The scripted model: "[remember] …" makes it call memory_store once, all else gets a plain reply. */
function answer({ messages, tools = [] }) {
  const human = messages.findLastIndex((m) => m.role === "user" && !textOf(m).includes("OPENCLAW_INTERNAL_CONTEXT"));
  const text = human < 0 ? "" : textOf(messages[human]);
  const results = messages.slice(human + 1).filter((m) => m.role === "tool");
  if (text.includes("[remember]") && !results.length && tools.some((tool) => tool.function.name === "memory_store")) {
    return { tool: "memory_store", args: { text: FACT, category: "fact", importance: 0.8 } };
  }
  return { content: results.length ? `Noted (${textOf(results.at(-1)).slice(0, 40)})` : "Understood." };
}

/** The chat requests of one question: the user message that carries it, and the system prompt. */
function requestsWith(question) {
  return model.requests.chat.map(({ messages }) => ({
    system: messages.filter((m) => m.role === "system" || m.role === "developer").map(textOf).join("\n"),
    user: messages.filter((m) => m.role === "user").map(textOf).findLast((text) => text.includes(question)),
  })).filter(({ user }) => user);
}

function assertRecalled(question) {
  const [request] = requestsWith(question);
  assert.ok(request, "the model was asked");
  assert.match(request.user, /<relevant-memories>/);
  assert.match(request.user, /UNTRUSTED/i);
  assert.ok(request.user.includes(FACT), request.user);
  assert.ok(request.user.indexOf(FACT) < request.user.indexOf(question), "the memories stand before the question");
  assert.ok(!request.system.includes(FACT), "recalled text is never in the system position");
}

before(async () => {
  if (!existsSync(path.join(packed, "package.json"))) throw new Error("build/package is missing; run `make package` first");
  model = await startOpenAI({ answer });
});
after(async () => {
  await gateway?.cleanup();
  await model?.close();
});

step("Node and OpenClaw are there", async () => {
  installHost();
  gateway = await createGateway({
    modelURL: model.url,
    pluginConfig: {
      autoRecall: true,
      autoRecallTimeoutMs: 10_000, // the machine may be busy; the turn's own budget is not what is tested here
      embedding: { apiKey: "test-key", baseURL: model.url, model: "text-embedding-test", dimensions: 384 },
    },
    env: process.env.MEMORY_PRO_BIN ? { MEMORY_PRO_BIN: process.env.MEMORY_PRO_BIN, FAKE_SIDECAR: process.env.FAKE_SIDECAR } : {},
  });
  writeFileSync(path.join(gateway.workspace, "MEMORY.md"), `# Notes\n\n${NOTE}\n`);
});

step("`openclaw plugins install` takes the packed folder", async () => {
  const { code, stdout, stderr } = await gateway.run("plugins", "install", packed, "--force", "--accept-capabilities");
  assert.equal(code, 0, stdout + stderr);
  const { slots, entries } = gateway.readConfig().plugins;
  assert.equal(slots.memory, "memory-lancedb-pro");
  assert.equal(entries["memory-lancedb-pro"].enabled, true);
  assert.equal(entries["memory-lancedb-pro"].config.autoRecall, true);
});

step("no value of a setting keeps the host from starting, and each is named with its key", async () => {
  const file = path.join(gateway.home, ".openclaw/openclaw.json"), right = readFileSync(file);
  const write = (enabled) => {
    const wrong = JSON.parse(right);
    Object.assign(wrong.plugins.entries["memory-lancedb-pro"], { enabled, config: {
      autoRecall: "yes", autoRecallMaxItems: "many", recallTopK: 5, zebra: { stripes: 1 }, decay: null, scopes: { agentAccess: ["x"] }, dreaming: 7,
      embedding: { apiKey: { source: "exec", id: "x" }, baseUrl: "http://127.0.0.1:1", dimensions: 1024.5, kind: true }, retrieval: { mode: "magic" },
    } });
    writeFileSync(file, JSON.stringify(wrong));
  };
  try {
    write(false); // the host checks the entry of a plugin that is off, too
    const off = await gateway.run("config", "validate");
    assert.equal(off.code, 0, off.stdout + off.stderr);
    write(true);
    const { code, stdout, stderr } = await gateway.run("memory-pro", "config");
    assert.equal(code, 2, stdout + stderr);
    for (const named of ["autoRecall: ", "retrieval.mode: ", "embedding.baseURL", "retrieval.candidatePoolSize", "zebra"]) assert.ok(stderr.includes(named), `${named} in ${stderr}`);
  } finally {
    writeFileSync(file, right);
  }
});

step("the gateway starts, and the sidecar with it", async () => {
  await gateway.start();
  await until("the first sidecar", () => gateway.sidecars().length === 1, 120_000);
});

step("a turn stores a memory through the tool", async () => {
  const result = await gateway.say("[remember] where staging listens", "agent:main:first");
  assert.match(result.payloads[0].text, /Noted/);
  const { tools, messages } = model.requests.chat.at(-1);
  const names = tools.map((tool) => tool.function.name);
  assert.ok(names.includes("memory_store") && names.includes("memory_recall"), `the model sees both tools as they are: ${names}`);
  assert.match(textOf(messages.findLast((m) => m.role === "tool")), /staging database/);
});

step("a turn of another session is asked with the memory in front of the question", async () => {
  await gateway.say(QUESTION, "agent:main:second");
  assertRecalled(QUESTION);
});

step("MEMORY.md of the workspace still reaches the model", async () => {
  assert.ok(requestsWith(QUESTION)[0].system.includes(NOTE));
  assert.match(requestsWith(QUESTION)[0].system, /## Long-term memory/);
});

step("`openclaw memory-pro stats --json` prints one JSON document", async () => {
  const { code, stdout, stderr } = await gateway.run("memory-pro", "stats", "--json");
  assert.equal(code, 0, stderr);
  const { memory } = JSON.parse(stdout);
  assert.deepEqual([memory.totalCount, memory.scopeCounts], [1, { "agent:main": 1 }], stdout);
});

step("exit codes of the binary pass through the host", async () => {
  const { code, stdout } = await gateway.run("memory-pro", "delete", "00000000-0000-4000-8000-000000000000", "--json");
  assert.equal(code, 3, "no such memory");
  if (stdout.trim()) JSON.parse(stdout);
});

step("the sidecar is killed: the next turn works, with a new one", async () => {
  const [first] = gateway.sidecars();
  process.kill(first, "SIGKILL");
  const again = `${QUESTION} Asked again.`;
  await gateway.say(again, "agent:main:third");
  assertRecalled(again);
  const pids = gateway.sidecars();
  assert.ok(pids.length >= 2 && !alive(first) && alive(pids.at(-1)), `sidecars: ${pids}`);
});

step("the gateway stops and leaves no process", async () => {
  const { code, signal } = await gateway.stop();
  assert.ok(code === 0 || signal === "SIGTERM", `ended with ${code ?? signal}`);
  await until("every process of the gateway to be gone", () => gateway.processes().length === 0, 10_000)
    .catch((error) => assert.fail(`${error.message}: ${JSON.stringify(gateway.processes())}`));
});
