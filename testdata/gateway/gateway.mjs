// One OpenClaw gateway of its own: a temporary home, free ports, and only processes that it
// started itself are ended.
import { execFile, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { until } from "../host/sandbox.mjs";
import { installHost } from "./install.mjs";

/** Deadlines are far above what is measured: a busy machine needs up to four times as long. */
const CLI_MS = 240_000;

export async function createGateway({ modelURL, pluginConfig }) {
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
    OPENCLAW_STATE_DIR: stateDir, OPENCLAW_CONFIG_PATH: configPath, OPENCLAW_DISABLE_BONJOUR: "1", TMPDIR: tmp,
  };
  writeFileSync(configPath, JSON.stringify({
    gateway: { mode: "local", port, bind: "loopback", auth: { mode: "token", token: "test-token" } },
    logging: { file: path.join(home, "openclaw.log") }, // by default one below /tmp that all gateways share
    models: { mode: "merge", providers: { scripted: { baseUrl: modelURL, api: "openai-completions", models: [{
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
  const logs = []; // one file for each start
  const log = () => logs.map((file) => readFileSync(file, "utf8")).join("\n");
  const execute = (file, args, more = {}) => new Promise((resolve) => {
    execFile(file, args, { env: { ...env, ...more }, cwd: home, timeout: CLI_MS, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code ?? error.signal : 0, stdout, stderr });
    });
  });

  const gateway = {
    home, stateDir, workspace, log,
    readConfig: () => JSON.parse(readFileSync(configPath, "utf8")),

    /** Changes the configuration file; a gateway that runs reloads the plugin whose entry it finds changed. */
    configure(change) {
      const config = gateway.readConfig();
      change(config);
      writeFileSync(configPath, JSON.stringify(config, null, 2));
    },

    /** Runs `openclaw …`; resolves with { code, stdout, stderr } whatever the code. */
    run: (...args) => execute(node, [openclaw, ...args]),

    /** The same with another configuration file, which is written first. */
    runWith(config, name, ...args) {
      const file = path.join(stateDir, name);
      writeFileSync(file, JSON.stringify(config));
      return execute(node, [openclaw, ...args], { OPENCLAW_CONFIG_PATH: file });
    },

    /** The installed binary's own command line, which takes milliseconds where the host's takes many seconds. */
    memoryPro: (binary, ...args) => execute(binary, args),

    /** Takes one turn through the gateway. */
    async say(message, sessionKey) {
      const { code, stdout, stderr } = await gateway.run("agent", "--session-key", sessionKey, "--message", message, "--json");
      if (code !== 0) throw new Error(`the turn failed with ${code}: ${stderr.slice(-2000)}`);
      return JSON.parse(stdout).result;
    },

    async start() {
      const file = path.join(home, `gateway-${logs.length + 1}.log`);
      const out = openSync(file, "a");
      logs.push(file);
      child = spawn(node, [openclaw, "gateway", "run", "--port", String(port), "--bind", "loopback"], { env, cwd: home, stdio: ["ignore", out, out] });
      closeSync(out);
      ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
      let over = false;
      ended.then(() => { over = true; });
      await until("the gateway to listen", () => over || readFileSync(file, "utf8").includes("http server listening"), CLI_MS);
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
