// The scripted model of the gateway test, and what its requests tell about a turn.
import assert from "node:assert/strict";
import { startOpenAI, textOf } from "../host/openai.mjs";

/** "[remember] …" makes it call memory_store once with `fact`; a turn that is given the fact repeats it; all else gets a plain reply. */
const script = (fact) => ({ messages, tools = [] }) => {
  const human = messages.findLastIndex((m) => m.role === "user" && !textOf(m).includes("OPENCLAW_INTERNAL_CONTEXT"));
  const text = human < 0 ? "" : textOf(messages[human]);
  const results = messages.slice(human + 1).filter((m) => m.role === "tool");
  if (text.includes("[remember]") && !results.length && tools.some((tool) => tool.function.name === "memory_store")) {
    return { tool: "memory_store", args: { text: fact, category: "fact", importance: 0.8 } };
  }
  if (text.includes("<relevant-memories>") && text.includes(fact)) return { content: `As far as I know: ${fact}` };
  return { content: results.length ? `Noted (${textOf(results.at(-1)).slice(0, 40)})` : "Understood." };
};

export async function startModel(fact) {
  const service = await startOpenAI({ answer: script(fact) });
  const { requests } = service;

  /** The first request of a turn: the user message that carries it, the system prompt, all roles, when it came. */
  function requestOf(said) {
    for (const body of requests.chat) {
      const user = body.messages.filter((m) => m.role === "user").map(textOf).findLast((text) => text.includes(said));
      if (!user) continue;
      const system = body.messages.filter((m) => m.role === "system" || m.role === "developer").map(textOf).join("\n");
      return { user, system, body, at: service.arrival(body) };
    }
    return assert.fail(`the model was never asked "${said}"`);
  }

  /** The turn was asked with `fact` behind it, marked as untrusted; returns its request. */
  function assertRecalled(said, fact) {
    const request = requestOf(said);
    const { user, system } = request;
    const block = /<relevant-memories>[^]*?<\/relevant-memories>/.exec(user)?.[0];
    assert.ok(block, `no memories in: ${user}`);
    assert.match(block, /UNTRUSTED/i);
    assert.ok(block.includes(fact), block);
    assert.ok(user.indexOf(fact) > user.indexOf(said), "the memories stand behind the question");
    assert.ok(!system.includes(fact), "recalled text is never in the system position");
    return request;
  }

  return { ...service, requestOf, assertRecalled };
}
