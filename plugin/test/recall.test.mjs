// Recall before a turn, with the real binary: what fails costs little, and what is of no use is held back.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createHost, turn } from "../../testdata/host/host.mjs";
import { startOpenAI } from "../../testdata/host/openai.mjs";
import { best, patient, sandbox, timed, until } from "../../testdata/host/sandbox.mjs";

const binary = process.env.MEMORY_PRO_BIN ?? fileURLToPath(new URL("../../build/package/bin/linux-x64/memory-pro", import.meta.url));
const skip = existsSync(binary) ? false : "build/package is missing: make package";
const FACT = "The harbour master of Tromvik is called Ingeborg Falk.";
const LIMIT_MS = 1_000, MARGIN_MS = 400;

for (const what of ["embeddings", "rerank"]) for (const fault of ["hang", "garbage", "limit"]) {
  test(`${what} that ${{ hang: "hang", garbage: "lie", limit: "refuse" }[fault]} cost a turn its limit at most`, { skip }, (t) => best(3, async () => {
    const service = await startOpenAI();
    t.after(() => service.close());
    const rerank = { rerankProvider: "jina", rerankApiKey: "test-key", rerankEndpoint: `${service.url}/rerank`, rerankModel: "scripted" };
    const { host } = await sandbox(t, { binary, pluginConfig: {
      autoRecall: true, autoCapture: false, autoRecallTimeoutMs: LIMIT_MS,
      embedding: { apiKey: "test-key", baseURL: service.url, model: "scripted", dimensions: 384 },
      retrieval: what === "rerank" ? rerank : { rerank: "none" },
    } });
    await host.callTool("memory_store", { text: FACT });
    service.faults[what] = fault;
    const times = [];
    for (let n = 1; n <= 3; n++) {
      const { value, ms } = await timed(() => host.buildPrompt({ prompt: `Who is the harbour master of Tromvik, part ${n}?` }, turn({ session: `s${n}` })));
      times.push(Math.round(ms));
      assert.ok(ms < LIMIT_MS + MARGIN_MS, `turn ${n} waited ${ms} ms`);
      assert.match(value.merged.appendContext ?? "", /Ingeborg Falk/, `turn ${n}: words find it all the same`);
    }
    assert.ok(service.requests[what].length > 0, `${what} was asked`);
    assert.deepEqual(host.diagnostics, []);
    t.diagnostic(`${what} ${fault}: ${times.join(", ")} ms`);
  }));
}

test("a memory that three turns had no use for is held back from turns, not from the tool", { skip }, async (t) => {
  const { host, home } = await sandbox(t, { binary, pluginConfig: { ...patient, autoCapture: false } });
  await host.callTool("memory_store", { text: FACT });
  const ask = async (live, n) => (await live.buildPrompt({ prompt: "What can one do in Tromvik at the harbour, with children?" }, turn({ session: `s${n}`, runId: `run-${n}` }))).merged.appendContext;
  for (let n = 1; n <= 3; n++) {
    assert.match(await ask(host, n), /Ingeborg/);
    await host.fire("agent_end", { success: true, messages: [
      { role: "user", content: "What can one do?" },
      { role: "assistant", content: [{ type: "text", text: "As you mentioned before, I remember: swim, hire a boat and taste the crabs at the market." }] },
    ] }, turn({ session: `s${n}`, runId: `run-${n}` }));
  }
  await host.stop(); // what was counted is written now
  const later = await createHost({ home, pluginConfig: { ...patient, autoCapture: false } });
  t.after(() => later.stop());
  await later.startServices();
  await until("the next sidecar", () => later.logText().includes("started (pid"));
  assert.equal(await ask(later, 4), undefined);
  const { details } = await later.callTool("memory_recall", { query: "harbour master of Tromvik" });
  assert.equal(details.count, 1);
});
