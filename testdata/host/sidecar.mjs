#!/usr/bin/env node
// A tiny sidecar that speaks the protocol and misbehaves on request, for tests of the shim alone.
// FAKE_SIDECAR is a JSON object:
//   startMs   wait before answering initialize        exit      exit with this code at once
//   dieAfter  exit this long after initialize (ms)    version   protocol version to claim
//   answerMs  wait before answering anything else     pids      file that gets a line for each start
//   stubborn  ignore shutdown, end of stdin, SIGTERM  block     text returned by the prompt hook
//   events    record the events of hooks                  health    say this of itself once initialized
import { appendFileSync, readFileSync } from "node:fs";

const mode = JSON.parse(process.env.FAKE_SIDECAR ?? "{}");
const note = (kind, data = {}) => mode.pids && appendFileSync(mode.pids, `${JSON.stringify({ kind, pid: process.pid, ...data })}\n`);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const argv = process.argv.slice(2);
note("start", { argv });

if (argv[0] === "--config-fd") {
  // The command line: shows what it was given, and leaves with the asked-for code.
  const handed = JSON.parse(readFileSync(Number(argv[1]), "utf8"));
  process.stderr.write("a notice on stderr\n");
  process.stdout.write(`${JSON.stringify({ argv: argv.slice(2), handed })}\n`);
  const code = argv.indexOf("--exit");
  process.exit(code > 0 ? Number(argv[code + 1]) : 0);
}
if (mode.exit !== undefined) {
  process.stderr.write("level=ERROR msg=\"cannot find my library\"\n");
  process.exitCode = mode.exit;
  process.exit();
}

const send = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
  process.stdout.write(body);
};
const reply = (id, result) => send({ id, result });
const cancelled = new Set();

async function handle({ id, method, params }) {
  if (method === "$/cancelRequest") {
    cancelled.add(params.id);
    return note("cancel", { id: params.id });
  }
  note("request", { method, context: params?.context, event: method.startsWith("hook.") && mode.events ? params.event : undefined, deadlineMs: params?.deadlineMs, size: JSON.stringify(params ?? null).length });
  if (method === "initialize") {
    await wait(mode.startMs ?? 0);
    if (mode.version) return send({ id, error: { code: -32010, message: `protocol version ${mode.version} wanted, ${params.protocolVersion} offered` } });
    note("initialize", { params });
    send({ method: "log", params: { level: "info", message: "store is opening" } });
    reply(id, { protocolVersion: 1, version: "fake", pid: process.pid, ready: false, tools: [] });
    if (mode.health) send({ method: "health", params: mode.health });
    if (mode.dieAfter !== undefined) setTimeout(() => process.exit(9), mode.dieAfter);
    return;
  }
  if (method === "shutdown") return mode.stubborn ? undefined : reply(id, {});
  await wait(mode.answerMs ?? 0);
  if (cancelled.has(id)) return send({ id, error: { code: -32097, message: "cancelled" } });
  if (method === "hook.before_prompt_build") return reply(id, mode.block ? { appendContext: mode.block } : {});
  if (method.startsWith("hook.")) return reply(id, {});
  const { text, query } = params.params ?? {};
  if (text === "boom" || query === "boom") return send({ id, error: { code: -32020, message: "opening the store: disk is full; free some space" } });
  if (query === "long") return reply(id, { content: [{ type: "text", text: "x".repeat(5_000_000) }], details: {} });
  reply(id, { content: [{ type: "text", text: `you said ${String(text ?? query).slice(0, 100)}` }], details: { length: (text ?? query).length } });
}

// Chunks are joined only when a whole message is there: joining at each one is quadratic.
let chunks = [], size = 0, wanted = 0;
process.stdin.on("data", (chunk) => {
  chunks.push(chunk);
  size += chunk.length;
  while (size >= wanted) {
    const buffered = Buffer.concat(chunks);
    chunks = [buffered];
    const head = buffered.indexOf("\r\n\r\n");
    if (head < 0) return;
    const end = head + 4 + Number(/Content-Length: *(\d+)/i.exec(buffered.subarray(0, head).toString())[1]);
    wanted = end;
    if (size < end) return;
    handle(JSON.parse(buffered.subarray(head + 4, end).toString()));
    chunks = [buffered.subarray(end)];
    size -= end;
    wanted = 0;
    if (!size) return;
  }
});
process.stdin.on("end", () => {
  note("eof");
  if (!mode.stubborn) process.exit(0);
});
if (mode.stubborn) {
  process.on("SIGTERM", () => note("sigterm"));
  setInterval(() => {}, 60_000);
}
