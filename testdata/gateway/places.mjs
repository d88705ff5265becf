// Where recalled text stands decides how much of a request its provider has read before. A provider
// reuses what is equal from the first byte on; so the measure is how far the request of a turn
// repeats the one before. A plugin beside ours (probe/) puts a text into each turn at either place.
import assert from "node:assert/strict";
import path from "node:path";
import { fileURLToPath } from "node:url";

const PROBE = "prompt-places";
const PLACES = ["prependContext", "appendContext"];
// What a person may paste or write at some length: in front of it, recalled text costs all of it again.
const words = (n) => `Turn ${n}: here is the paragraph to shorten. ${"The ferry leaves the harbour at noon and passes three islands before it turns north. ".repeat(6)}`;

/** Lets the gateway load the probe; before it starts. */
export const withProbe = (gateway) => gateway.configure(({ plugins }) => {
  plugins.load = { paths: [path.join(path.dirname(fileURLToPath(import.meta.url)), "probe")] };
  plugins.entries[PROBE] = { enabled: true, hooks: { allowConversationAccess: true } };
});

/** How many bytes of a request the next one begins with, in the order a provider reads: tools, then messages. */
export function repeated(request, next) {
  const [a, b] = [request, next].map(({ tools, messages }) => Buffer.from(JSON.stringify([tools ?? [], messages])));
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return { same, of: a.length };
}

/** Three turns with each place, side by side: [{ place, turns: [{ same, of }, …] }]. */
export async function measurePlaces(gateway, model) {
  for (let n = 1; n <= 3; n++) await Promise.all(PLACES.map((place) => gateway.say(`${place} ${words(n)}`, `agent:main:place-${place.toLowerCase()}`)));
  return PLACES.map((place) => {
    const requests = [1, 2, 3].map((n) => model.requestOf(`${place} Turn ${n}:`).body);
    for (const [n, { messages }] of requests.entries()) {
      assert.equal(JSON.stringify(messages).match(/only this turn is shown/g)?.length, 12, `turn ${n + 1} with ${place} holds its own text and none of earlier turns`);
    }
    return { place, turns: [repeated(requests[0], requests[1]), repeated(requests[1], requests[2])] };
  });
}

/** Behind the message is better, and by at least the message itself. */
export function judgePlaces([front, behind]) {
  for (const [i, { same }] of behind.turns.entries()) {
    assert.ok(same >= front.turns[i].same + words(1).length, `turn ${i + 2}: ${same} bytes behind, ${front.turns[i].same} in front of the message`);
  }
  const row = ({ place, turns }) => `${place} ${turns.map(({ same, of }) => `${same} of ${of} bytes (${Math.round(100 * same / of)} %)`).join(", then ")}`;
  return `of the 1st and 2nd request the next repeats with ${row(front)}; with ${row(behind)}`;
}
