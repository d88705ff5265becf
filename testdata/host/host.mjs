// A stand-in for an OpenClaw gateway process: loads the built plugin the way the host does and
// lets a script take turns with it.
//
//   const host = await createHost({ home, pluginConfig: { autoRecall: true } });
//   await host.startServices();
//   await host.callTool("memory_store", { text: "…" }, turn({ agentId: "main" }));
//   const { merged } = await host.buildPrompt({ prompt: "what did I say about tea?" }, turn());
//   await host.stop();
//
// What it copies from the real host, because plugins have tripped over it: each registration
// evaluates the module afresh, api.runtime throws in cli-metadata mode, tools not named in the
// manifest are refused, conversation hooks need a grant, hooks that fail or take too long are
// skipped, and a tool's context lives for one turn.
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const ID = "memory-lancedb-pro";
const CONVERSATION_HOOKS = new Set(["before_prompt_build", "agent_end", "before_agent_reply", "llm_input", "llm_output"]);
let instances = 0;

/** The context of one turn of a person, as the gateway hands it to hooks and tools. */
export function turn({ agentId = "main", session = "main", sessionId = `session-${session}`, trigger = "user", ...rest } = {}) {
  return { agentId, sessionKey: `agent:${agentId}:${session}`, sessionId, trigger, workspaceDir: path.join(homedir(), "workspace"), ...rest };
}

/** Imports the entry as a module of its own, as the host does for each registration. */
export async function loadPlugin(entry = path.join(root, "dist/index.js")) {
  return (await import(`${pathToFileURL(entry).href}?instance=${++instances}`)).default;
}

export async function createHost(options = {}) {
  const home = options.home ?? path.join(root, "build", "host-home");
  const stateDir = path.join(home, ".openclaw");
  mkdirSync(stateDir, { recursive: true });
  const manifest = JSON.parse(readFileSync(path.join(root, "openclaw.plugin.json"), "utf8"));
  const logs = [];
  const logger = Object.fromEntries(["debug", "info", "warn", "error"].map((level) => [level, (message) => {
    logs.push({ level, message });
    if (options.echo?.includes(level)) process.stderr.write(`[${level}] ${message}\n`);
  }]));
  const health = { failures: [], clears: 0 };
  const host = { home, stateDir, logs, health, diagnostics: [], apis: [], declaredTools: [...manifest.contracts.tools].sort() };

  host.createApi = ({ mode = "full", pluginConfig = options.pluginConfig ?? {}, overrides = {} } = {}) => {
    const seen = { tools: new Map(), hooks: [], services: [], cli: [], capability: undefined };
    const api = {
      id: ID, name: ID, version: manifest.version, registrationMode: mode, logger, pluginConfig,
      config: options.config ?? { agents: { list: (options.agents ?? ["main"]).map((id) => ({ id })) } },
      get runtime() {
        if (mode === "cli-metadata" || mode === "setup-only") throw new Error(`api.runtime is not available in ${mode} mode`);
        return { version: "2026.9.6", state: { resolveStateDir: () => stateDir } };
      },
      registerTool(tool, { name } = {}) {
        if (!manifest.contracts.tools.includes(name)) host.diagnostics.push(`tool ${name} is not declared in the manifest`);
        else if (seen.tools.has(name)) host.diagnostics.push(`tool ${name} is registered twice`);
        else seen.tools.set(name, tool);
      },
      on(name, handler, { priority = 0, timeoutMs = 15_000 } = {}) {
        if (CONVERSATION_HOOKS.has(name) && options.allowConversationAccess === false) host.diagnostics.push(`hook ${name} needs allowConversationAccess`);
        else seen.hooks.push({ name, handler, priority, timeoutMs });
      },
      registerService: (service) => seen.services.push(service),
      registerCli: (registrar, cliOptions) => seen.cli.push({ registrar, options: cliOptions }),
      registerMemoryCapability: (capability) => { seen.capability = capability; },
      ...overrides,
    };
    host.apis.push({ api, seen });
    return { api, seen };
  };

  /** Registers a fresh module instance with a fresh api and makes it the live one. */
  host.register = async ({ plugin, ...rest } = {}) => {
    const made = host.createApi(rest);
    (plugin ?? await loadPlugin(options.entry)).register(made.api);
    if ((rest.mode ?? "full") === "full") host.live = made.seen;
    return made;
  };

  host.tool = (name, context = turn()) => {
    const factory = host.live.tools.get(name);
    if (!factory) throw new Error(`no tool ${name}`);
    return typeof factory === "function" ? factory(context) : factory;
  };
  let calls = 0;
  host.callTool = (name, params, context = turn(), signal = new AbortController().signal) =>
    host.tool(name, context).execute(`call_${++calls}`, params, signal, () => {});

  /** Runs a hook that only observes, such as agent_end: all handlers, each within its time. */
  host.fire = (name, event, context = turn()) => host.runHooks(name, event, context);

  /** Runs before_prompt_build for one prompt; merged holds what the hooks add. */
  host.buildPrompt = async (event, context = turn()) => ({ merged: await host.runHooks("before_prompt_build", { messages: [], ...event }, context) });

  host.runHooks = async (name, event, context) => {
    const merged = {};
    for (const { handler, timeoutMs } of host.live.hooks.filter((hook) => hook.name === name).sort((a, b) => b.priority - a.priority)) {
      const late = new AbortController();
      const deadline = new Promise((_, reject) => {
        const timer = setTimeout(() => reject(new Error(`timed out after ${timeoutMs}ms`)), timeoutMs);
        late.signal.addEventListener("abort", () => clearTimeout(timer));
      });
      try {
        Object.assign(merged, await Promise.race([handler(event, context), deadline]));
      } catch (error) {
        host.diagnostics.push(`${name} handler failed: ${error.message}`);
      } finally {
        late.abort();
      }
    }
    return merged;
  };

  host.startServices = async () => {
    const serviceHealth = { reportFailure: (error) => health.failures.push(String(error?.message ?? error)), clearFailure: () => { health.clears += 1; } };
    for (const service of host.live.services) await service.start({ stateDir, logger, serviceHealth });
  };
  host.stopServices = async () => {
    for (const service of host.live.services) await service.stop?.();
  };
  host.closeMemory = () => host.live.capability?.runtime?.closeAllMemorySearchManagers?.();
  /** In the order of a gateway that ends. */
  host.stop = async () => {
    await host.stopServices();
    await host.closeMemory();
  };
  host.logText = () => logs.map(({ level, message }) => `[${level}] ${message}`).join("\n");

  if (options.register !== false) await host.register();
  return host;
}
