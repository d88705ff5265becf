// The demo: two weeks of facts go through the real shim and sidecar as tool calls of an agent, the
// sidecar is stopped and started again, and eight questions are asked in new sessions. No key, no network.
// Exit code 1 when a question does not bring its memory among the first three.
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHost } from '../host/host.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const entry = path.resolve(here, '../../build/package/dist/index.js');
const AGENT = 'main';
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code, s) => (colour ? `\x1b[${code}m${s}\x1b[0m` : s);
const bold = (s) => paint(1, s), dim = (s) => paint(2, s), green = (s) => paint(32, s), red = (s) => paint(31, s);
const lines = (name) => readFileSync(path.join(here, 'facts', name), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
const session = (name) => ({ agentId: AGENT, sessionKey: `agent:${AGENT}:${name}`, sessionId: name });

async function phase(title, work) {
  console.log(`\n${bold(`== ${title}`)}`);
  const start = performance.now();
  const result = await work();
  console.log(dim(`   (${((performance.now() - start) / 1000).toFixed(1)} s)`));
  return result;
}

async function withHost(home, work) {
  const host = await createHost({ entry, home, pluginConfig: { dbPath: path.join(home, 'lancedb-pro'), autoRecall: true }, echo: ['error'] });
  try {
    await host.startServices();
    return await work(host);
  } finally {
    await host.stop();
  }
}

/** Stores every fact, one session a day; returns fact key → memory id. */
async function remember(host, facts) {
  const ids = new Map();
  const perDay = new Map();
  for (const f of facts) perDay.set(f.saidAt.slice(0, 10), [...(perDay.get(f.saidAt.slice(0, 10)) ?? []), f]);
  for (const [day, said] of perDay) {
    for (const { key, text, category, importance } of said) {
      const { details } = await host.callTool('memory_store', { text, category, importance }, session(day));
      if (details?.action !== 'created') throw new Error(`"${text}" was not stored: ${JSON.stringify(details)}`);
      ids.set(key, details.id);
    }
    console.log(`   ${day}  ${String(said.length).padStart(2)} stored, the last: ${dim(said.at(-1).text)}`);
  }
  return ids;
}

/** Asks one question in a session of its own; returns the rank of the memory it should bring, or 0. */
async function ask(host, { question, expect }, number, ids) {
  const { details } = await host.callTool('memory_recall', { query: question, limit: 3, includeFullText: true }, session(`question-${number}`));
  const rank = details.memories.findIndex((m) => m.id === ids.get(expect)) + 1;
  console.log(`\n${bold(`${number}. ${question}`)}  ${rank ? green(`found at rank ${rank}`) : red('NOT FOUND')}`);
  details.memories.forEach((m, i) => {
    console.log(`   ${i + 1}. ${m.score.toFixed(2)}  ${m.id === ids.get(expect) ? bold(m.text) : m.text}`);
    console.log(dim(`            why: ${m.reason}`));
  });
  return rank;
}

if (!existsSync(entry)) {
  console.error(`demo: ${entry} is missing; run \`make demo\`, which builds it first`);
  process.exit(2);
}
const home = mkdtempSync(path.join(os.tmpdir(), 'memory-pro-demo-'));
let failed = 0;
try {
  const facts = lines('facts.jsonl'), questions = lines('questions.jsonl');
  const ids = await phase(`remember: ${facts.length} facts said over two weeks, no API key, keywords alone`, () => withHost(home, (host) => remember(host, facts)));
  await phase('recall: the sidecar was restarted; eight questions, each in a new session', () => withHost(home, async (host) => {
    for (const [i, q] of questions.entries()) {
      const rank = await ask(host, q, i + 1, ids);
      if (rank < 1 || rank > 3) failed++;
    }
  }));
  await phase('auto-recall: what a turn of the agent gets in front of the question, unasked', () => withHost(home, async (host) => {
    const { merged } = await host.buildPrompt({ prompt: questions[0].question, messages: [] }, { ...session('turn'), trigger: 'user' });
    console.log((merged.prependContext ?? red('nothing was injected')).replace(/^/gm, '   '));
    if (!merged.prependContext) failed++;
  }));
  console.log(failed ? red(`\n${failed} of ${questions.length + 1} checks failed`) : green(`\nAll ${questions.length} questions brought their memory among the first three.`));
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
