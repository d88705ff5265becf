// `openclaw memory-pro …` is the binary's own command line, with this terminal and this configuration.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import type { Api } from "./host.js";
import type { Launch } from "./launch.js";

const COMMAND = { name: "memory-pro", description: "Search and manage long-term memory", hasSubcommands: true };

export function registerCli(api: Api, launch: () => Launch): void {
  api.registerCli(({ program }) => { // the binary knows its commands, options and help; nothing is parsed twice
    program.command(COMMAND.name).description(COMMAND.description).helpOption(false)
      .allowUnknownOption().allowExcessArguments().argument("[args...]")
      .action(async (args: string[]) => { process.exitCode = await run(launch(), args); });
    // Standard output is the binary's alone: the host keeps its banner and logs away from it.
  }, { commands: [COMMAND.name], descriptors: [{ ...COMMAND, machineOutput: () => true }] });
}

async function run({ binary, params }: Launch, args: string[]): Promise<number> {
  const child = spawn(binary, ["--config-fd", "3", ...args], { stdio: ["inherit", "inherit", "inherit", "pipe"] });
  // Through a pipe, because other users can read command lines and environments.
  (child.stdio[3] as Writable).on("error", () => {}).end(JSON.stringify({ config: params.config, stateDir: params.stateDir }));
  return once(child, "exit").then(([code, signal]) => code ?? 128 + constants.signals[signal as NodeJS.Signals], (error: Error) => {
    process.stderr.write(`memory-pro: ${error.message}; install the plugin again for this platform\n`);
    return 127;
  });
}
