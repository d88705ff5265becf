// Brings what a package-lock.json names from the registry into a cache outside the tree, once for
// each lock file: a copy of the lock installed as it is, scripts off.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

function place(folder, name) {
  const lock = readFileSync(path.join(folder, "package-lock.json"));
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  return path.join(cache, "memory-lancedb-pro", `${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
}

/** Where `folder`'s lock file is installed already; undefined if it is not. */
export function cachedLocked(folder, name) {
  const dir = place(folder, name);
  return existsSync(path.join(dir, "complete")) ? dir : undefined;
}

/** Installs what `folder`'s lock file says and returns where. A failure throws: nothing is skipped. */
export function installLocked(folder, name, ...flags) {
  const dir = place(folder, name);
  if (!cachedLocked(folder, name)) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(path.join(folder, file), path.join(dir, file));
    // The engines may not fit the Node that runs npm here; what is installed runs under its own.
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...flags], { cwd: dir, stdio: ["ignore", 2, 2] });
    writeFileSync(path.join(dir, "complete"), "");
  }
  return dir;
}
