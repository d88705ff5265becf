// The packed folder as the tarball that a registry would serve. `npm pack` itself always compresses as hard as it
// can, 20 s of processor time for 225 MB; so npm only says what belongs into it, and the gzip is one that stores.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, createWriteStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

const SMALL = 1 << 20;

/** Every file below `folder`, as relative paths, sorted. */
export const filesOf = (folder) => readdirSync(folder, { recursive: true }).filter((name) => statSync(path.join(folder, name)).isFile()).sort();

/** What `npm pack` takes of `folder`: [{ path, mode }]. Asked of a twin whose big files are empty. */
export function listed(folder) {
  const twin = mkdtempSync(path.join(os.tmpdir(), "memory-pro-twin-"));
  try {
    for (const name of filesOf(folder)) {
      const from = path.join(folder, name), to = path.join(twin, name);
      mkdirSync(path.dirname(to), { recursive: true });
      if (statSync(from).size < SMALL) copyFileSync(from, to);
      else writeFileSync(to, "", { mode: statSync(from).mode });
    }
    const answer = JSON.parse(execFileSync("npm", ["pack", twin, "--dry-run", "--json", "--ignore-scripts", "--silent"], { encoding: "utf8" }));
    return answer[0].files.map(({ path: name, mode }) => ({ path: name, mode: mode & 0o777 })).sort((a, b) => (a.path < b.path ? -1 : 1));
  } finally {
    rmSync(twin, { recursive: true, force: true });
  }
}

/** Writes the tarball of those files and returns its size. */
export async function pack(folder, names, file) {
  const tar = spawn("tar", ["-c", "--owner=0", "--group=0", "--transform=s,^,package/,", "-C", folder, ...names], { stdio: ["ignore", "pipe", "inherit"] });
  const [[code]] = await Promise.all([once(tar, "exit"), pipeline(tar.stdout, createGzip({ level: 0 }), createWriteStream(file))]);
  if (code !== 0) throw new Error(`tar ended with ${code}`);
  return statSync(file).size;
}
