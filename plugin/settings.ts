// The few settings that decide which hooks and tools are registered, read as the sidecar reads them.
export function hookSettings(given: Record<string, unknown> = {}) {
  const config: Record<string, unknown> = { ...Object(given.config), ...given }; // some nest them one level too deep
  const flag = (name: string, otherwise: boolean) => ({ true: true, false: false })[String(config[name]).trim().toLowerCase()] ?? otherwise;
  const text = String(config.autoRecallTimeoutMs ?? "").trim(), ms = text ? Number(text) : NaN;
  const recallMs = Number.isInteger(ms) ? ms && Math.min(Math.max(ms, 100), 60_000) : 2_000; // 0: no limit of the plugin's own
  return { autoCapture: flag("autoCapture", true), captureAssistant: flag("captureAssistant", false), autoRecall: flag("autoRecall", false), management: flag("enableManagementTools", false), recallMs };
}
