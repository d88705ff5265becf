// What every registration in this process shares, and what the sidecar is started with. The host evaluates
// this module afresh for each registration, so the one sidecar hangs on globalThis, not on a variable.
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Api, Logger, ServiceHealth } from "./host.js";
import { PROTOCOL_VERSION, type InitializeParams } from "./protocol.gen.js";
import { Sidecar } from "./sidecar.js";

/** The key changes when anything the sidecar is started with changes. */
export type Launch = { key: string; binary: string; params: InitializeParams; logger: Logger };

type Shared = { launch?: () => Launch; sidecar?: Sidecar; health?: ServiceHealth; registered: WeakMap<object, Set<string>> };

export function shared(): Shared {
  const place = globalThis as { [key: symbol]: Shared | undefined };
  return (place[Symbol.for("memory-lancedb-pro.sidecar")] ??= { registered: new WeakMap() });
}

/** The sidecar of the registration that counts, replaced when its configuration has changed. */
export function sidecar(): Sidecar {
  const all = shared();
  if (!all.launch) throw new Error("memory-lancedb-pro is stopped");
  const launch = all.launch();
  if (all.sidecar && !all.sidecar.closed && all.sidecar.launch.key === launch.key) return all.sidecar;
  // The new process waits for the end of the old one: together they would contend for the store's lock.
  return (all.sidecar = new Sidecar(launch, report, all.sidecar?.close()));
}

export const closeSidecar = async () => shared().sidecar?.close();

/** Tells the host's service health that memory fails, or works again. */
export function report(failure: string): void {
  const { health } = shared();
  failure ? health?.reportFailure(new Error(failure)) : health?.clearFailure();
}

/** Computed at first use, because api.runtime must not be touched while registering. */
export const launchOf = (api: Api, made?: Launch) => () => (made ??= describe(api));

function describe(api: Api): Launch {
  const { platform, arch, env } = process;
  // dist/index.js and plugin/index.ts both lie one folder below the package's root.
  const binary = env.MEMORY_PRO_BIN || fileURLToPath(new URL(`../bin/${platform}-${arch}/memory-pro`, import.meta.url));
  const params: InitializeParams = {
    protocolVersion: PROTOCOL_VERSION, pluginVersion: api.version, hostVersion: api.runtime?.version,
    stateDir: api.runtime?.state?.resolveStateDir?.() ?? env.OPENCLAW_STATE_DIR ?? join(homedir(), ".openclaw"),
    agents: api.config?.agents?.list?.map((agent) => agent.id) ?? Object.keys(api.config?.agents?.entries ?? {}),
    logLevel: api.config?.logging?.level, config: api.pluginConfig ?? {},
  };
  return { key: JSON.stringify([binary, params]), binary, params, logger: api.logger };
}
