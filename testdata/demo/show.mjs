// What both parts of the demo share: a host on a database of its own, and how things are printed.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createHost, turn } from "../host/host.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
export const entry = path.resolve(here, "../../build/package/dist/index.js");

const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
export const bold = paint(1), dim = paint(2), green = paint(32), red = paint(31);

export const lines = (name) => readFileSync(path.join(here, name), "utf8").trim().split("\n").map((line) => JSON.parse(line));

/** The context of a turn in a session, as the gateway hands it over. */
export const inSession = (session, more = {}) => turn({ session, ...more });

export async function phase(title, work) {
  console.log(`\n${bold(`== ${title}`)}`);
  const begun = performance.now();
  const result = await work();
  console.log(dim(`   (${((performance.now() - begun) / 1000).toFixed(1)} s)`));
  return result;
}

/** Runs work with a started plugin on the database dbPath, and stops plugin and sidecar afterwards. */
export async function withHost(home, database, work) {
  const host = await createHost({ entry, home, pluginConfig: { dbPath: path.join(home, database), autoRecall: true, autoRecallTimeoutMs: 10_000 }, echo: ["warn", "error"] });
  try {
    await host.startServices();
    return await work(host);
  } finally {
    await host.stop();
  }
}

/** Asks in a session of its own and prints what comes and why; returns the rank of the memory wanted, or 0. */
export async function ask(host, number, question, wanted) {
  const { details } = await host.callTool("memory_recall", { query: question, limit: 3, includeFullText: true }, inSession(`question-${number}`));
  const rank = details.memories.findIndex(wanted) + 1;
  console.log(`\n${bold(`${number}. ${question}`)}  ${rank ? green(`found at rank ${rank}`) : red("NOT FOUND")}`);
  details.memories.forEach((memory, i) => {
    console.log(`   ${i + 1}. ${memory.score.toFixed(2)}  ${i + 1 === rank ? bold(memory.text) : memory.text}`);
    console.log(dim(`            why: ${memory.reason}`));
  });
  return rank;
}
