// The part of OpenClaw's plugin API that this shim uses. What a host may leave out is optional.
import type { Command } from "commander";
import type { CallContext, SessionMessage } from "./protocol.gen.js";

type Log = (message: string) => void;
export type Logger = { debug?: Log; info: Log; warn: Log; error: Log };
export type ServiceHealth = { reportFailure(error: unknown): void; clearFailure(): void };
export type HookEvent = { prompt?: string; currentUserMessage?: string; currentUserMessageId?: string; messages?: SessionMessage[]; success?: boolean; content?: unknown; reason?: string };

export interface Api {
  version?: string;
  registrationMode?: string;
  config?: { agents?: { list?: { id: string }[]; entries?: object }; logging?: { level?: string } };
  pluginConfig?: Record<string, unknown>;
  runtime?: { version?: string; state?: { resolveStateDir?(): string } };
  logger: Logger;
  registerTool(make: (context: CallContext) => object, options: { name: string }): void;
  on(hook: string, handler: (event: HookEvent, context: CallContext) => Promise<unknown>, options: object): void;
  registerCli(register: (host: { program: Command }) => void, options: object): void;
  registerService(service: { id: string; start(host: { serviceHealth?: ServiceHealth }): void; stop(): Promise<void> }): void;
  registerMemoryCapability?(capability: object): void;
}
