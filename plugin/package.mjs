// Assembles build/package, the folder that `openclaw plugins install` takes; with --tarball also
// the file for `npm-pack:`. Nothing in it runs at install time: hosts install with scripts
// switched off, so the binary, its library and the embedded model lie inside.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const done = path.join(root, "build/package");
const out = `${done}.partial`; // takes its place when everything is in it
const bin = path.join(out, "bin/linux-x64");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

async function phase(title, work) {
  const begun = performance.now();
  const note = await work();
  console.log(`== package: ${title}${note ? `, ${note}` : ""} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
}

const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const files = (dir) => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));

function copy() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(path.join(out, "dist"), { recursive: true });
  mkdirSync(bin, { recursive: true });
  for (const name of ["openclaw.plugin.json", "LICENSE", "NOTICE", "README.md", "dist/index.js"]) copyFileSync(path.join(root, name), path.join(out, name));
  const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  // What a user installs has no development side: no scripts, no packages, no sources to compile.
  for (const field of ["scripts", "devDependencies", "private"]) delete manifest[field];
  manifest.openclaw.extensions = manifest.openclaw.runtimeExtensions;
  delete manifest.openclaw.runtimeExtensions;
  writeFileSync(path.join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

function compile() {
  run("go", "build", "-tags", "release", "-trimpath", "-ldflags", `-s -w -X github.com/memory-lancedb-pro/memory-lancedb-pro/internal/cli.version=${version}`, "-o", path.join(bin, "memory-pro"), "./cmd/memory-pro");
  copyFileSync(path.join(root, "internal/native/lib/linux_amd64/libmlp_native.so"), path.join(bin, "libmlp_native.so"));
  for (const name of readdirSync(bin)) chmodSync(path.join(bin, name), 0o755);
  return readdirSync(bin).map((name) => `${name} ${(statSync(path.join(bin, name)).size / 1e6).toFixed(1)} MB`).join(", ");
}

/** The embedded model is data, the same for each platform. */
function model() {
  execFileSync("go", ["run", "./internal/embed/weights/fetch"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const { file, bytes } = JSON.parse(readFileSync(path.join(root, "internal/embed/weights/weights.json"), "utf8"));
  mkdirSync(path.join(out, "share"));
  copyFileSync(path.join(root, "build/share", file), path.join(out, "share", file));
  return `${file} ${(bytes / 1e6).toFixed(1)} MB`;
}

/** The product must not tell where or from what it was built. */
function verify() {
  const registry = new URL(run("npm", "config", "get", "registry").trim()).host;
  const telltale = [root, `${os.homedir()}/`, run("go", "env", "GOMODCACHE").trim(), run("go", "env", "GOROOT").trim(), registry].filter((text) => text.length > 4);
  for (const file of files(out)) {
    const data = readFileSync(file);
    const found = telltale.find((text) => data.includes(text));
    if (found) throw new Error(`${path.relative(root, file)} contains ${found}`);
  }
}

await phase("bundle the shim", () => import("./build.mjs").then(() => undefined));
await phase("copy", copy);
console.log("== package: compiling the binary; the first time, with nothing cached, this takes some minutes");
await phase("compile the binary", compile);
await phase("the embedded model", model);
await phase("look for build paths", verify);
rmSync(done, { recursive: true, force: true });
renameSync(out, done);
if (process.argv.includes("--tarball")) await phase("tarball", () => {
  const [{ filename, size }] = JSON.parse(run("npm", "pack", done, "--pack-destination", "build", "--json", "--ignore-scripts", "--silent"));
  return `build/${filename} ${(size / 1e6).toFixed(1)} MB`;
});
