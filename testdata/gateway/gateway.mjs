// One OpenClaw gateway of its own: a temporary home, free ports, and only processes that it
// started itself are ended.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { until } from "../host/sandbox.mjs";
import { installHost } from "./install.mjs";

/** Deadlines are far above what is measured: a busy machine needs up to four times as long. */
const CLI_MS = 240_000;

export async function createGateway({ modelURL, pluginConfig, env: extra = {} }) {
  const { node, openclaw } = installHost();
  const home = mkdtempSync(path.join(os.tmpdir(), "memory-pro-gateway-"));
  const stateDir = path.join(home, ".openclaw");
  const workspace = path.join(home, "workspace");
  const tmp = path.join(home, "tmp");
  const configPath = path.join(stateDir, "openclaw.json");
  for (const dir of [stateDir, workspace, tmp]) mkdirSync(dir, { mode: 0o700 });
  const port = await freePort();
  // Nothing of the caller's environment but the path: no keys, no other OpenClaw's state.
  const env = {
    PATH: `${path.dirname(node)}:${process.env.PATH}`, HOME: home, LANG: "C.UTF-8", NO_COLOR: "1", CI: "1",
    OPENCLAW_STATE_DIR: stateDir, OPENCLAW_CONFIG_PATH: configPath, OPENCLAW_DISABLE_BONJOUR: "1", TMPDIR: tmp, ...extra,
  };
  writeFileSync(configPath, JSON.stringify({
    gateway: { mode: "local", port, bind: "loopback", auth: { mode: "token", token: "test-token" } },
    models: { mode: "merge", providers: { scripted: { baseUrl: modelURL, apiKey: "test-key", api: "openai-completions", models: [{
      id: "chat", name: "Scripted", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 128_000, maxTokens: 4096,
    }] } } },
    agents: { defaults: { model: { primary: "scripted/chat" }, workspace } },
    plugins: { entries: {
      "memory-lancedb-pro": { hooks: { allowConversationAccess: true }, config: pluginConfig },
      "memory-core": { enabled: false }, // its daily dreaming is none of this test's business
    } },
  }, null, 2));

  let child;
  let ended;
  const logPath = path.join(home, "gateway.log");
  const log = () => readFileSync(logPath, "utf8");

  const gateway = {
    home, workspace, log,
    readConfig: () => JSON.parse(readFileSync(configPath, "utf8")),

    /** Runs `openclaw …`; resolves with { code, stdout, stderr } whatever the code. */
    run: (...args) => new Promise((resolve) => {
      execFile(node, [openclaw, ...args], { env, cwd: home, timeout: CLI_MS, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        resolve({ code: error ? error.code ?? error.signal : 0, stdout, stderr });
      });
    }),

    /** Takes one turn through the gateway. */
    async say(message, sessionKey) {
      const { code, stdout, stderr } = await gateway.run("agent", "--session-key", sessionKey, "--message", message, "--json");
      if (code !== 0) throw new Error(`the turn failed with ${code}: ${stderr.slice(-2000)}`);
      return JSON.parse(stdout).result;
    },

    async start() {
      const out = openSync(logPath, "a");
      child = spawn(node, [openclaw, "gateway", "run", "--port", String(port), "--bind", "loopback"], { env, cwd: home, stdio: ["ignore", out, out] });
      ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
      let over = false;
      ended.then(() => { over = true; });
      await until("the gateway to listen", () => over || log().includes("http server listening"), CLI_MS);
      if (over) throw new Error(`the gateway ended: ${log().slice(-3000)}`);
    },

    /** Pids of the sidecars that were started, oldest first, as the gateway's log tells. */
    sidecars: () => [...log().matchAll(/memory sidecar \S+ started \(pid (\d+)\)/g)].map((match) => Number(match[1])),

    /** Every live process of this gateway's home: [{ pid, command }]. */
    processes: () => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`HOME=${home}`)) return [];
        return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() }];
      } catch {
        return []; // gone meanwhile
      }
    }).filter(({ command }) => command),

    async stop() {
      if (!child) return undefined;
      child.kill("SIGTERM");
      const insist = setTimeout(() => child.kill("SIGKILL"), 60_000);
      return ended.finally(() => clearTimeout(insist));
    },

    async cleanup() {
      await gateway.stop();
      for (const { pid } of gateway.processes()) process.kill(pid, "SIGKILL");
      if (!process.env.KEEP_GATEWAY_HOME) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return gateway;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
