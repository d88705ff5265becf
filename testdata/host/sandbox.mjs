// What the shim's tests share: a home of their own, a fake sidecar with a record of what reached
// it, and waiting for a condition instead of for a while.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createHost } from "./host.mjs";

/** For tests of what is recalled, not of how fast: a busy machine gets the time it needs. */
export const patient = { autoRecall: true, autoRecallTimeoutMs: 30_000 };

/** Measures up to three times: other work on the machine can spoil a measurement, but not improve it. */
export async function best(attempts, measure) {
  for (let i = 1; ; i++) {
    try {
      return await measure();
    } catch (error) {
      if (i >= attempts) throw error;
    }
  }
}

export const FAKE = fileURLToPath(new URL("sidecar.mjs", import.meta.url));

/** Polls until check() is truthy and returns that; fails with what was waited for. */
export async function until(what, check, timeoutMs = 15_000) {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

export function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A host whose sidecar is the fake one, behaving as `mode` says; everything ends with the test. */
export async function sandbox(t, { mode = {}, binary = FAKE, ...options } = {}) {
  const home = mkdtempSync(path.join(os.tmpdir(), "memory-pro-shim-"));
  const pids = path.join(home, "sidecar.jsonl");
  Object.assign(process.env, { HOME: home, MEMORY_PRO_BIN: binary, FAKE_SIDECAR: JSON.stringify({ ...mode, pids }) });
  const host = await createHost({ home, ...options });
  t.after(async () => {
    if (host.live) await host.stop();
    rmSync(home, { recursive: true, force: true });
  });
  // What stands behind the last line's end is still being written.
  const record = () => (existsSync(pids) ? readFileSync(pids, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)) : []);
  return {
    host, home, record,
    of: (kind) => record().filter((entry) => entry.kind === kind),
    pid: () => record().filter((entry) => entry.kind === "start").at(-1)?.pid,
    setMode: (next) => { process.env.FAKE_SIDECAR = JSON.stringify({ ...next, pids }); },
  };
}

/** How long a promise takes, and its error if it fails. */
export async function timed(work) {
  const begun = performance.now();
  try {
    return { value: await work(), ms: performance.now() - begun };
  } catch (error) {
    return { error, ms: performance.now() - begun };
  }
}
