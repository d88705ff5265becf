// What is shipped, and the promises made about its shape.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (name) => readFileSync(path.join(root, name), "utf8");
const json = (name) => JSON.parse(read(name));
const packed = path.join(root, "build/package");
const binary = path.join(packed, "bin/linux-x64/memory-pro");

test("the hand-written shim stays under 400 lines", () => {
  const sources = readdirSync(path.join(root, "plugin")).filter((name) => name.endsWith(".ts") && !name.endsWith(".gen.ts"));
  const lines = sources.reduce((sum, name) => sum + read(`plugin/${name}`).split("\n").length - 1, 0);
  assert.ok(lines < 400, `${lines} lines`);
});

test("manifest, package and tools agree", () => {
  const manifest = json("openclaw.plugin.json"), pkg = json("package.json");
  assert.equal(manifest.version, pkg.version);
  assert.equal(manifest.id, pkg.name);
  assert.deepEqual(manifest.contracts.tools, [...read("plugin/protocol.gen.ts").matchAll(/"name": "(memory_\w+)"/g)].map((match) => match[1]));
  assert.equal(pkg.dependencies, undefined, "everything needed at run time is bundled");
});

test("the lock files name no registry", () => {
  for (const name of ["package-lock.json", "testdata/gateway/package-lock.json"]) assert.ok(!/"resolved"|https?:\/\/registry/.test(read(name)), name);
});

test("the packed folder installs without scripts or sources", { skip: !existsSync(binary) && "build/package is missing: make package" }, () => {
  const pkg = JSON.parse(readFileSync(path.join(packed, "package.json"), "utf8"));
  assert.deepEqual([pkg.scripts, pkg.dependencies, pkg.devDependencies], [undefined, undefined, undefined]);
  for (const entry of pkg.openclaw.extensions) assert.ok(existsSync(path.join(packed, entry)), entry);
  assert.deepEqual(readdirSync(packed).sort(), ["LICENSE", "NOTICE", "README.md", "bin", "dist", "openclaw.plugin.json", "package.json", "share"]);
  assert.equal(readFileSync(path.join(packed, "dist/index.js"), "utf8").match(/from "(?!node:)/g), null, "imports nothing but Node's own modules");
  assert.equal(execFileSync(binary, ["version"], { encoding: "utf8" }).trim(), pkg.version);
});
