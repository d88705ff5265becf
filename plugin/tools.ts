// The agent's tools: each is one call to the sidecar, bound to the turn it is made in.
import type { Api } from "./host.js";
import { sidecar } from "./launch.js";
import { TOOLS, type CallContext, type ToolParams, type ToolResult } from "./protocol.gen.js";

const TOOL_MS = 60_000; // a store call may have to wait for a slow embedding provider

/** The host's context holds functions and the whole configuration; this much may cross. */
export function callContext({ agentId, sessionKey, sessionId, workspaceDir, trigger, senderId, inputProvenance }: CallContext): CallContext {
  return { agentId, sessionKey, sessionId, workspaceDir, trigger, senderId, inputProvenance: inputProvenance && { kind: inputProvenance.kind } };
}

export function registerTools(api: Api): void {
  for (const { method, hint, ...tool } of TOOLS) {
    const make = (context: CallContext) => ({ ...tool, async execute(callId: string, params: unknown, signal?: AbortSignal) {
      const call: ToolParams = { callId, context: callContext(context), params, deadlineMs: TOOL_MS };
      return sidecar().call<ToolResult>(method, call, TOOL_MS, signal);
    } });
    api.registerTool(make, { name: tool.name });
  }
}
