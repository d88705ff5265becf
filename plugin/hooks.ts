// Recall before each turn of a person. Whatever goes wrong here, the turn goes on without memories.
import type { Api } from "./host.js";
import { report, sidecar } from "./launch.js";
import { METHODS, type PromptParams, type PromptResult } from "./protocol.gen.js";
import { callContext } from "./tools.js";

export function registerHooks(api: Api): void {
  if (api.pluginConfig?.autoRecall !== true) return;
  const timeoutMs = Math.min(Math.max(Number(api.pluginConfig.autoRecallTimeoutMs) || 2_000, 100), 60_000);
  let lastFailure = "";
  const recall: Parameters<Api["on"]>[1] = async ({ prompt }, context) => {
    // Heartbeats, cron jobs, memory flushes and messages between agents are not a person's question.
    if (context.trigger !== "user" || context.inputProvenance?.kind === "inter_session" || !prompt) return undefined;
    try {
      // A little less for the sidecar, so that a partial answer still arrives in time.
      const call: PromptParams = { event: { prompt }, context: callContext(context), deadlineMs: Math.floor(timeoutMs * 0.9) };
      const { prependContext } = await sidecar().call<PromptResult>(METHODS.beforePromptBuild, call, timeoutMs);
      if (lastFailure) report((lastFailure = ""));
      return prependContext ? { prependContext } : undefined;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const reason = why.replace(/\d+/g, "#"); // whatever the seconds and the process numbers in it
      // Once for each new reason: a broken provider must not fill the log turn by turn.
      if (reason !== lastFailure) api.logger.warn(`recall skipped, the turn goes on without memories: ${why}`);
      lastFailure = reason;
      report(why);
    }
  };
  api.on("before_prompt_build", recall, { priority: 10, timeoutMs: timeoutMs + 1_000 });
}
