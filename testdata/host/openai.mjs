// A scripted service with OpenAI's calls, on loopback: chat (streamed or not) and embeddings, and Jina's
// rerank. The last two can be made to hang, to answer nonsense, or to refuse for too many requests.
// Its vectors are hashed words and letter triples, so that related texts have related vectors.
import http from "node:http";

const WIDTH = 384;

function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 0;
  return (h ^ (h >>> 12)) >>> 0;
}

export function embed(text, width = WIDTH) {
  const vector = new Float64Array(width);
  const add = (feature, weight) => { const h = hash(feature); vector[h % width] += h & 0x10000 ? weight : -weight; };
  for (const word of String(text).toLowerCase().normalize("NFKC").match(/[\p{L}\p{N}_]+/gu) ?? []) {
    add(`word ${word}`, 1);
    const letters = [...` ${word} `];
    for (let i = 0; i + 3 <= letters.length; i++) add(letters.slice(i, i + 3).join(""), 0.35);
  }
  const length = Math.hypot(...vector) || 1;
  return Array.from(vector, (x) => x / length);
}

export const textOf = ({ content }) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"));

/**
 * Starts the service. `answer(body)` gives the assistant's message for a chat request: { content } or { tool, args }.
 * `faults.embeddings` and `faults.rerank` may be set to "hang", "garbage" or "limit" at any time.
 */
export async function startOpenAI({ answer = () => ({ content: "ok" }) } = {}) {
  const requests = { chat: [], embeddings: [], rerank: [] };
  const faults = {}, arrivals = new WeakMap();
  let calls = 0;

  function chat(body, res) {
    requests.chat.push(body);
    const { content = null, tool, args } = answer(body);
    const message = { role: "assistant", content };
    if (tool) message.tool_calls = [{ index: 0, id: `call_${++calls}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }];
    const frame = { id: `chat-${requests.chat.length}`, created: 0, model: body.model };
    const finish_reason = tool ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (!body.stream) return json(res, { ...frame, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage });
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const part of [
      { choices: [{ index: 0, delta: message, finish_reason: null }] }, { choices: [{ index: 0, delta: {}, finish_reason }] }, { choices: [], usage },
    ]) res.write(`data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", ...part })}\n\n`);
    res.end("data: [DONE]\n\n");
  }

  function embeddings(body, res) {
    requests.embeddings.push(body);
    const data = [body.input].flat().map((input, index) => {
      const vector = embed(input, body.dimensions || WIDTH);
      return { object: "embedding", index, embedding: body.encoding_format === "base64" ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector };
    });
    json(res, { object: "list", model: body.model, data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  }

  function rerank(body, res) {
    requests.rerank.push(body);
    const wanted = embed(body.query);
    const results = body.documents.map((document, index) => {
      const cosine = embed(document?.text ?? document).reduce((sum, x, i) => sum + x * wanted[i], 0);
      return { index, relevance_score: Math.max(0, Math.min(1, cosine)) };
    });
    json(res, { model: body.model, results: results.sort((a, b) => b.relevance_score - a.relevance_score) });
  }

  /** Misbehaves; what it is sent counts all the same. */
  function fault(kind, what, body, res) {
    requests[what].push(body);
    if (kind === "limit") return json(res, { error: { message: "too many requests" } }, 429, { "retry-after": "60" });
    if (kind === "garbage") return res.writeHead(200, { "content-type": "application/json" }).end('{"data": [{"embedding": "not a vec');
    // "hang": nothing, until the client leaves
  }

  const server = http.createServer((req, res) => {
    const parts = [];
    req.on("data", (part) => parts.push(part));
    req.on("end", () => {
      const body = parts.length ? JSON.parse(Buffer.concat(parts)) : {};
      arrivals.set(body, Date.now());
      if (req.url.endsWith("/chat/completions")) return chat(body, res);
      const what = ["embeddings", "rerank"].find((name) => req.url.endsWith(`/${name}`));
      if (what && faults[what]) return fault(faults[what], what, body, res);
      if (what) return (what === "rerank" ? rerank : embeddings)(body, res);
      return json(res, { object: "list", data: [{ id: "scripted", object: "model" }] });
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests, faults,
    /** When a request came. */
    arrival: (body) => arrivals.get(body),
    close: () => new Promise((resolve) => { server.close(() => resolve()); server.closeAllConnections(); }),
  };
}

function json(res, body, status = 200, headers = {}) {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}
