// `openclaw memory-pro …`: the binary's own command line behind the host's.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { FAKE, sandbox } from "../../testdata/host/sandbox.mjs";

const cli = fileURLToPath(new URL("../../testdata/host/cli.mjs", import.meta.url));

function openclaw(home, args, { binary = FAKE, pluginConfig = {} } = {}) {
  const env = { ...process.env, HOST_HOME: home, HOST_PLUGIN_CONFIG: JSON.stringify(pluginConfig), MEMORY_PRO_BIN: binary };
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

test("every argument and option reaches the binary in order, with the configuration on a pipe", async (t) => {
  const { home, host } = await sandbox(t, { register: false });
  const args = ["search", "tea & cake", "--limit", "3", "--json", "-x", "--db", "/else", "--explain"];
  const { code, stdout, stderr } = await openclaw(home, ["memory-pro", ...args], { pluginConfig: { embedding: { apiKey: "sk-secret" } } });
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { argv: args, handed: { config: { embedding: { apiKey: "sk-secret" } }, stateDir: host.stateDir } });
  assert.match(stderr, /a notice on stderr/);
});

test("help and unknown options are the binary's business", async (t) => {
  const { home } = await sandbox(t, { register: false });
  for (const args of [["--help"], ["list", "-h"], ["--unheard-of"], []]) {
    const { code, stdout } = await openclaw(home, ["memory-pro", ...args]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).argv, args);
  }
});

test("the exit code is passed on", async (t) => {
  const { home } = await sandbox(t, { register: false });
  for (const code of [1, 3, 64]) assert.equal((await openclaw(home, ["memory-pro", "delete", "--exit", String(code)])).code, code);
});

test("a missing binary is an error on stderr with what to do", async (t) => {
  const { home } = await sandbox(t, { register: false });
  const { code, stdout, stderr } = await openclaw(home, ["memory-pro", "stats", "--json"], { binary: "/nonexistent/memory-pro" });
  assert.equal(code, 127);
  assert.equal(stdout, "");
  assert.match(stderr, /ENOENT; install the plugin again/);
});
