// A provider that hangs, answers nonsense or refuses never costs a turn more than its share, and the
// turn goes on with what can be found without it.
import assert from "node:assert/strict";
import path from "node:path";
import { until } from "../host/sandbox.mjs";

export const LIMIT_MS = 1_500;
/** What a turn may take over the limit until its request is with the model: the host's own work, on a busy machine. */
const HOST_MS = 1_500;
const FAULTS = ["hang", "garbage", "limit"];
export const PROVIDED = "The harbour master of Tromvik is called Ingeborg Falk.";

/** Has the plugin use the service for embeddings, and `rerank` for reranking too, with a database of its own. */
export async function withProviders(gateway, model, id, rerank) {
  const before = gateway.sidecars().length;
  gateway.configure(({ plugins }) => Object.assign(plugins.entries[id].config, {
    autoRecallTimeoutMs: LIMIT_MS, autoCapture: false, dbPath: path.join(gateway.home, "provided"),
    embedding: { apiKey: "test-key", baseURL: model.url, model: "scripted", dimensions: 384 },
    retrieval: rerank
      ? { rerank: "cross-encoder", rerankProvider: "jina", rerankApiKey: "test-key", rerankEndpoint: `${model.url}/rerank`, rerankModel: "scripted" }
      : { rerank: "none" },
  }));
  await until("a sidecar with the new configuration", () => gateway.sidecars().length > before, 120_000);
}

/** Ends the sidecar: the next one does not know yet that a provider fails. */
async function fresh(gateway) {
  const before = gateway.sidecars();
  process.kill(before.at(-1), "SIGKILL");
  await until("the next sidecar", () => gateway.sidecars().length > before.length, 60_000);
}

/** Each fault of `what` (embeddings or rerank) in a turn of its own; says how long the model's request waited for it. */
export async function measureFaults(gateway, model, what) {
  const lines = [];
  for (const fault of ["well", ...FAULTS]) {
    if (fault !== "well") await fresh(gateway);
    const said = `Who is the harbour master of Tromvik? (${what} ${fault})`;
    if (fault !== "well") model.faults[what] = fault;
    await gateway.say(said, `agent:main:${what}-${fault}`);
    delete model.faults[what];
    const { user, at } = model.requestOf(said);
    const asked = model.requests[what].find((body) => JSON.stringify(body).includes(`${what} ${fault}`));
    assert.ok(asked, `${what} was asked`);
    const waited = at - model.arrival(asked);
    assert.ok(waited < LIMIT_MS + HOST_MS, `${what}, ${fault}: the model was asked ${waited} ms after the provider`);
    assert.ok(user.includes(PROVIDED), `${what}, ${fault}: what words find is there: ${user}`);
    lines.push(`${fault} ${waited} ms`);
  }
  return `from the request for ${what} to that of the turn: ${lines.join(", ")}; the limit is ${LIMIT_MS} ms`;
}
