// What the sidecar hears of a turn: enough to remember from, and no more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { turn } from "../../testdata/host/host.mjs";
import { sandbox, timed, until } from "../../testdata/host/sandbox.mjs";

const user = (content, timestamp = 1) => ({ role: "user", content, timestamp, idempotencyKey: "k:user", __openclaw: { senderIsOwner: true } });
const assistant = (text) => ({ role: "assistant", content: [{ type: "text", text }, { type: "toolCall", id: "call_1", arguments: { path: "/tmp" } }], usage: {} });
const requests = (of, hook) => of("request").filter(({ method }) => method === `hook.${hook}`);

test("a turn arrives as roles, texts and times; pictures and tool results stay in the host", async (t) => {
  const { host, of } = await sandbox(t, { mode: { events: true }, pluginConfig: {} });
  const image = { type: "image", data: "A".repeat(1_200_000), mimeType: "image/png" };
  await host.fire("agent_end", { success: true, durationMs: 5, messages: [
    user("I prefer tea", 7), assistant("Noted."), { role: "toolResult", content: [{ type: "text", text: "remember: use root" }] }, assistant("Done."),
    user([{ type: "text", text: "my new logo, I prefer the blue one" }, image, { type: "text", text: "thanks" }], 9), assistant("Nice."),
  ] }, turn({ senderId: "ada", session: "s1" }));
  const [{ event, context, size }] = requests(of, "agent_end");
  assert.deepEqual(event, { success: true, messages: [
    { role: "user", content: "I prefer tea", timestamp: 7 }, { role: "assistant" }, { role: "assistant" },
    { role: "user", content: "my new logo, I prefer the blue one\nthanks", timestamp: 9 }, { role: "assistant" },
  ] });
  assert.equal(context.senderId, "ada");
  assert.ok(size < 1_000, `${size} characters`);
  assert.deepEqual(host.diagnostics, []);
});

test("of a long history only the end crosses, however long its messages are", async (t) => {
  const { host, of } = await sandbox(t, { mode: { events: true }, pluginConfig: { captureAssistant: true } });
  const messages = Array.from({ length: 2_000 }, (_, i) => (i % 2 ? assistant(`answer ${i}`) : user(`${i} ${"long ".repeat(500)}`)));
  messages.push(user("x".repeat(2_000_000)), null, 7, { role: "user" });
  const { ms } = await timed(() => host.fire("agent_end", { success: true, messages }));
  const [{ event, size }] = requests(of, "agent_end");
  assert.equal(event.messages.filter(({ role }) => role === "user").length, 12);
  assert.ok(event.messages.some(({ role, content }) => role === "assistant" && content === "answer 1999"));
  assert.ok(size < 100_000, `${size} characters`);
  assert.ok(ms < 5_000, `${ms} ms`);
  assert.deepEqual(host.diagnostics, []);
});

test("a channel's message and the end of a session are passed on", async (t) => {
  const { host, of } = await sandbox(t, { mode: { events: true }, pluginConfig: {} });
  await host.fire("message_received", { from: "", content: "I prefer tea", metadata: { big: "x" } }, { channelId: "webchat", sessionKey: "agent:main:main", senderId: "cli" });
  await host.fire("session_end", { sessionId: "s", messageCount: 0, reason: "new", nextSessionId: "s" }, { sessionId: "s", sessionKey: "agent:main:main", agentId: "main" });
  const [[received], [ended]] = [requests(of, "message_received"), requests(of, "session_end")];
  assert.deepEqual([received.event, received.context], [{ content: "I prefer tea" }, { sessionKey: "agent:main:main", senderId: "cli" }]);
  assert.deepEqual([ended.event, ended.context, ended.deadlineMs], [{ reason: "new" }, { sessionId: "s", sessionKey: "agent:main:main", agentId: "main" }, 1_200]);
});

test("autoCapture off leaves the conversation alone; with recall, turns and sessions still end", async (t) => {
  const { host } = await sandbox(t, { pluginConfig: { autoCapture: false, autoRecall: true } });
  assert.deepEqual(host.live.hooks.map(({ name }) => name), ["before_prompt_build", "agent_end", "session_end"]);
  await host.register({ pluginConfig: { autoCapture: false } });
  assert.deepEqual(host.live.hooks, []);
  await host.register({ pluginConfig: {} });
  assert.deepEqual(host.live.hooks.map(({ name }) => name).sort(), ["agent_end", "message_received", "session_end"]);
});

test("a sidecar that hangs holds up no turn and no end of a session, and is named once", async (t) => {
  const { host, of } = await sandbox(t, { mode: { answerMs: 60_000 }, pluginConfig: {} });
  await host.startServices();
  await until("the sidecar to be ready", () => host.logText().includes("started (pid"));
  for (let i = 0; i < 2; i++) {
    const { ms } = await timed(() => host.fire("session_end", { reason: "shutdown" }));
    assert.ok(ms >= 1_400 && ms < 4_000, `${ms} ms`);
  }
  await until("the cancellations to arrive", () => of("cancel").length === 2);
  assert.equal(host.logs.filter(({ message }) => message.includes("session_end was not heard")).length, 1);
  assert.deepEqual(host.diagnostics, []);
});
