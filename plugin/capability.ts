// The memory slot: MEMORY.md and USER.md stay in the prompt, and a one-shot run's sidecar ends when the host closes its memory.
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import type { Api } from "./host.js";
import { closeSidecar } from "./launch.js";
import { TOOLS } from "./protocol.gen.js";

export function registerCapability(api: Api): void {
  api.registerMemoryCapability?.({
    promptBuilder({ availableTools }: { availableTools: Set<string> }) {
      const lines = TOOLS.filter(({ name }) => availableTools.has(name)).map(({ hint }) => `- ${hint}`);
      return lines.length ? ["## Long-term memory", ...lines, ""] : [];
    },
    runtime: {
      getMemorySearchManager: async () => ({ manager: null, error: "memory-lancedb-pro is searched with memory_recall or `openclaw memory-pro search`" }),
      resolveMemoryBackendConfig: () => null, // no index of the host's own: its doctor has no embedding key to miss
      // A runtime without a classifier makes the host drop both files from every prompt.
      supportsWorkspaceMemoryReadSources: true,
      classifyWorkspaceMemoryPaths: classify,
      closeAllMemorySearchManagers: closeSidecar,
    },
  });
}

type Paths = { workspaceDir: string; relativePaths: string[]; readSources?: { relativePath: string; canonicalRelativePath?: string }[] };
/** Files in the workspace are the agent's own; a link that leads out of it is not trusted. */
function classify({ workspaceDir, relativePaths, readSources }: Paths): Promise<object[]> {
  const locate = async (path: string) => relative(await realpath(workspaceDir), await realpath(join(workspaceDir, path)));
  return Promise.all(relativePaths.map(async (relativePath) => {
    const real = readSources ? readSources.find((read) => read.relativePath === relativePath)?.canonicalRelativePath : await locate(relativePath).catch(() => "");
    const inside = real && !isAbsolute(real) && real.split(/[\\/]/)[0] !== "..";
    return { relativePath, originClass: inside ? "agent" : "untrusted" };
  }));
}
