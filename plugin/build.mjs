// Bundles the shim into dist/index.js: plain ESM with its one dependency inside.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const licence = readFileSync(`${root}/node_modules/vscode-jsonrpc/License.txt`, "utf8").trim();

await build({
  absWorkingDir: root,
  entryPoints: ["plugin/index.ts"],
  outfile: "dist/index.js",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  logLevel: "warning",
  // vscode-jsonrpc is CommonJS and requires Node's own modules by name.
  banner: { js: 'import { createRequire as createHostRequire } from "node:module";\nconst require = createHostRequire(import.meta.url);' },
  footer: { js: `/* Contains vscode-jsonrpc:\n\n${licence}\n*/` },
});
