// The demo, through the real shim, sidecar and database: `make demo`. No key, no network.
// Exit code 1 when a question does not bring its memory among the first three, or noise was remembered.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { conversation } from "./conversation.mjs";
import { facts } from "./facts.mjs";
import { entry, green, red } from "./show.mjs";

if (!existsSync(entry)) {
  console.error("demo: build/package is missing; run `make demo`, which builds it first");
  process.exit(2);
}
const home = mkdtempSync(path.join(os.tmpdir(), "memory-pro-demo-"));
process.env.HOME = home; // nothing of the demo goes into the real one
try {
  const failed = [...await facts(home), ...await conversation(home)];
  console.log(failed.length ? red(`\nnot as promised:\n  ${failed.join("\n  ")}`) : green("\nEvery question brought its memory among the first three."));
  process.exitCode = failed.length ? 1 : 0;
} finally {
  rmSync(home, { recursive: true, force: true });
}
