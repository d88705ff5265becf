// One `memory-pro serve` process: started when first needed, restarted when it dies, ended in order.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { CancellationTokenSource, createMessageConnection, StreamMessageReader, StreamMessageWriter, type MessageConnection } from "vscode-jsonrpc/node";
import type { Launch } from "./launch.js";
import { METHODS, type HealthResult, type InitializeResult, type LogParams } from "./protocol.gen.js";

const START_MS = 10_000; // answering initialize opens no store, so even a busy machine manages it
const STABLE_MS = 30_000; // a process that lived this long did not fail at starting
const MAX_FAILURES = 5, COOL_MS = 60_000; // after so many in a row nothing is started for a while

export class Sidecar {
  closed = false;
  health = ""; // what the process says of itself; empty while recall works as configured
  reason = ""; // why the last process failed; empty while all is well
  private running?: { child: ChildProcess; connection: MessageConnection; gone: Promise<string> };
  private opening?: Promise<MessageConnection>;
  private closing?: Promise<void>;
  private pending = new Set<(why: string) => void>();
  private failures = 0;
  private readyAt = Infinity;
  private retryAt = 0;

  constructor(readonly launch: Launch, private report: (failure: string) => void, private after?: Promise<void>) {}

  /** Asks the sidecar; rejects at the deadline, on abort, and as soon as the process dies. */
  async call<Result>(method: string, params: object, timeoutMs: number, signal?: AbortSignal): Promise<Result> {
    const source = new CancellationTokenSource();
    let fail!: (why: string) => void;
    const failed = new Promise<never>((_, reject) => { fail = (why) => reject(new Error(`${method} ${why}`)); });
    const stop = (why: string) => (fail(why), source.cancel()); // the sidecar hears of it, too
    const cancel = () => stop("was cancelled");
    // This timer also keeps a one-shot process alive meanwhile: the child and its pipes do not.
    const timer = setTimeout(() => stop(`did not answer within ${timeoutMs} ms${this.reason && `; memory sidecar ${this.reason}`}`), timeoutMs);
    this.pending.add(fail);
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    try {
      const answer = this.open().then((connection) => connection.sendRequest<Result>(method, params, source.token));
      return await Promise.race([failed, answer]);
    } finally {
      clearTimeout(timer);
      this.pending.delete(fail);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Starts the process unless it runs, and waits for its answer to `initialize`. */
  async open(): Promise<MessageConnection> {
    if (this.closed) throw new Error("memory sidecar is closed");
    const wait = this.retryAt - Date.now();
    if (wait > 0) throw new Error(`memory is unavailable: sidecar ${this.reason}; next attempt in ${Math.ceil(wait / 1000)} s`);
    return this.opening ?? this.start(0);
  }

  private start(delayMs: number): Promise<MessageConnection> {
    const opening = this.connect(delayMs);
    this.opening = opening;
    opening.then(() => this.running!.gone, (error: Error) => error.message).then((why) => this.lost(opening, why));
    return opening;
  }

  private async connect(delayMs: number): Promise<MessageConnection> {
    await this.after;
    await sleep(delayMs, undefined, { ref: false });
    if (this.closed) throw new Error("is closed");
    const { binary, params, logger } = this.launch;
    // Its own process group: Ctrl-C in the gateway's terminal must not end it before the gateway's last hooks.
    const child = spawn(binary, ["serve"], { stdio: "pipe", windowsHide: true, detached: process.platform !== "win32" });
    // A one-shot command must be able to exit while the child lives; the end of its stdin then ends the child.
    for (const handle of [child, child.stdin, child.stdout, child.stderr]) (handle as { unref?(): void }).unref?.();
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    let cause = "", lastLine = "";
    const fail = (why: string) => ((cause ||= why), child.kill("SIGKILL"));
    const gone = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(`cannot run: ${error.message}`));
      child.once("exit", (code, signal) => resolve(signal ? cause || `was ended by ${signal}` : `exited with code ${code}: ${lastLine || "no message"}`));
    }).then((why) => {
      for (const fail of this.pending) fail(`failed: memory sidecar ${why}; try again`);
      connection.dispose();
      return why;
    });
    this.running = { child, connection, gone };
    const log = (level: string, line: string) => {
      const write = { e: logger.error, w: logger.warn, d: logger.debug }[level[0]?.toLowerCase() ?? ""] ?? logger.info;
      write.call(logger, `memory sidecar: ${line.slice(0, 2_000)}`);
    };
    createInterface(child.stderr).on("line", (line) => log(/\blevel=(\w+)/.exec(line)?.[1] ?? "warn", (lastLine = line)));
    connection.onNotification(METHODS.log, ({ level, message, fields }: LogParams) => log(level, fields ? `${message} ${JSON.stringify(fields)}` : message));
    connection.onNotification(METHODS.health, ({ state, cause }: HealthResult) => this.report((this.health = cause ? `memory is ${state}: ${cause}` : "")));
    connection.onError(([error, unsent]) => unsent || fail(`broke the protocol: ${error.message}`));
    connection.listen();
    const timer = setTimeout(fail, START_MS, `did not answer initialize within ${START_MS / 1000} s`);
    const hello = await connection.sendRequest<InitializeResult>(METHODS.initialize, params).catch(async (error: Error) => {
      fail(`refused to start: ${error.message}`);
      throw new Error(await gone);
    }).finally(() => clearTimeout(timer));
    logger.info(`memory sidecar ${hello.version} started (pid ${hello.pid})`);
    this.readyAt = Date.now();
    this.report((this.reason = this.health = ""));
    return connection;
  }

  /** A start failed, or a process ended unasked: start again after growing pauses, and give up for a while. */
  private lost(opening: Promise<MessageConnection>, why: string): void {
    if (this.closed || this.opening !== opening) return;
    this.opening = undefined;
    this.reason = why;
    this.failures = Date.now() - this.readyAt > STABLE_MS ? 1 : this.failures + 1;
    this.readyAt = Infinity;
    const again = this.failures < MAX_FAILURES;
    const next = again ? "starting it again" : `next attempt in ${COOL_MS / 1000} s; try "openclaw memory-pro version" to see whether it runs at all`;
    this.launch.logger.warn(`memory sidecar ${why}; ${next}`);
    this.report(`memory sidecar ${why}`);
    if (again) this.start(this.failures === 1 ? 0 : 50 * 2 ** this.failures);
    else this.retryAt = Date.now() + COOL_MS;
  }

  /** Lets work under way finish, closes stdin, then insists. Resolves when the process is gone. */
  close(): Promise<void> {
    this.closed = true;
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    if (!this.running) return;
    const { child, connection, gone } = this.running;
    child.ref(); // whoever waits for the end must not exit before it
    const within = (ms: number, work: Promise<unknown>) => Promise.race([work, gone, sleep(ms, undefined, { ref: false })]).catch(() => {});
    await within(1_000, Promise.resolve().then(() => connection.sendRequest(METHODS.shutdown, {})));
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await within(500, gone);
      child.kill(signal); // does nothing once it is gone
    }
    await gone;
  }
}
