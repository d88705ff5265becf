// The agent's tools: each is one call to the sidecar, bound to the turn it is made in.
import type { Api } from "./host.js";
import { sidecar } from "./launch.js";
import { TOOLS, type CallContext, type ToolParams, type ToolResult } from "./protocol.gen.js";
import { hookSettings } from "./settings.js";

const TOOL_MS = 60_000; // a store call may have to wait for a slow embedding provider

/** The host's context holds functions and the whole configuration; this much may cross. */
export function callContext({ agentId, sessionKey, sessionId, runId, workspaceDir, trigger, senderId, inputProvenance }: CallContext): CallContext {
  return { agentId, sessionKey, sessionId, runId, workspaceDir, trigger, senderId, inputProvenance: inputProvenance && { kind: inputProvenance.kind } };
}

export function registerTools(api: Api): void {
  for (const { method, hint, management, ...tool } of TOOLS.filter((tool) => !tool.management || hookSettings(api.pluginConfig).management)) {
    const make = (context: CallContext) => ({ ...tool, async execute(callId: string, params: unknown, signal?: AbortSignal) {
      return sidecar().call<ToolResult>(method, { callId, context: callContext(context), params, deadlineMs: TOOL_MS } satisfies ToolParams, TOOL_MS, signal);
    } });
    api.registerTool(make, { name: tool.name });
  }
}
