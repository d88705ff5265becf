// Bundles the shim into dist/index.js: plain ESM, its one dependency inside.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

await build({
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  entryPoints: ["plugin/index.ts"],
  outfile: "dist/index.js",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  legalComments: "inline",
  // vscode-jsonrpc is CommonJS and requires Node's own modules by name.
  banner: { js: 'import { createRequire as createHostRequire } from "node:module"; const require = createHostRequire(import.meta.url);' },
  logLevel: "warning",
});
