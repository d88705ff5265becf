// memory-lancedb-pro for OpenClaw: forwards tools, hooks and command line to the memory-pro binary. No memory logic lives here.
// register() runs many times in a process, in several modes; it starts nothing.
import { registerCapability } from "./capability.js";
import { registerCli } from "./cli.js";
import { registerHooks } from "./hooks.js";
import type { Api } from "./host.js";
import { closeSidecar, launchOf, shared, sidecar, type Launch } from "./launch.js";
import { registerTools } from "./tools.js";

function register(api: Api): void {
  const all = shared();
  const done = all.registered.get(api) ?? new Set();
  all.registered.set(api, done);
  const mode = api.registrationMode ?? "full";
  const launch = launchOf(api);
  if (mode.startsWith("setup")) return;
  for (const part of [registerCli, registerTools, registerHooks, registerService, registerCapability]) {
    // After a failed attempt the host may try again with the same api: what succeeded is not repeated.
    if (!done.has(part.name)) part(api, launch);
    done.add(part.name);
    if (mode === "cli-metadata") return; // the command line comes first, and alone
  }
  // The live registration decides what the sidecar runs with; a read-only one only where there is no other.
  if (mode === "full" || !all.launch) all.launch = launch;
}

function registerService(api: Api, launch: () => Launch): void {
  api.registerService({
    id: "memory-lancedb-pro",
    start({ serviceHealth }) {
      Object.assign(shared(), { launch, health: serviceHealth });
      sidecar().open().catch(() => {}); // logged and reported already; the gateway need not wait
    },
    stop: () => (Object.assign(shared(), { launch: undefined, health: undefined }), closeSidecar()),
  });
}

export default { id: "memory-lancedb-pro", name: "Memory (LanceDB Pro)", description: "Long-term memory in LanceDB: hybrid recall, scopes, explanations", kind: "memory", register };
