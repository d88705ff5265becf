// Runs `openclaw memory-pro …` as the host does: cli-metadata first, then discovery, then the
// action. A process of its own, because the command inherits this one's standard streams.
//
//   HOST_HOME=… HOST_PLUGIN_CONFIG='{…}' node cli.mjs memory-pro stats --json
import { Command } from "commander";
import { createHost } from "./host.mjs";

const pluginConfig = JSON.parse(process.env.HOST_PLUGIN_CONFIG ?? "{}");
const host = await createHost({ home: process.env.HOST_HOME, pluginConfig, register: false, echo: ["debug", "info", "warn", "error"] });
const { seen: metadata } = await host.register({ mode: "cli-metadata" });
if (metadata.cli.length !== 1 || metadata.tools.size || metadata.hooks.length || metadata.services.length) throw new Error("cli-metadata mode must register the command line alone");
const { seen } = await host.register({ mode: "discovery" });
const program = new Command("openclaw").option("--no-color").version("2026.9.6");
for (const { registrar } of seen.cli) await registrar({ program, config: {}, logger: host.logger });
await program.parseAsync(process.argv);
