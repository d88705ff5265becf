// What the TypeScript plugin does with its table, done with a LanceDB package for Node:
//   node table.mjs PACKAGE_DIR write DB   makes the table "memories" from the JSON on stdin
//   node table.mjs PACKAGE_DIR check DB   opens it again: counts, filters, searches, adds a row, updates one
// The answer is JSON on stdout. Rows and vectors come from the test that calls this.
import { createRequire } from "node:module";
import path from "node:path";

const [packages, verb, where] = process.argv.slice(2);
const require = createRequire(path.join(packages, "package.json"));
const lancedb = require("@lancedb/lancedb");
const arrow = require("apache-arrow");

/** Columns in the plugin's order. Types are inferred from a row that is deleted again, unless times are whole numbers. */
const columns = ["id", "text", "vector", "category", "scope", "importance", "timestamp", "metadata"];

function schemaOf(width) {
  const text = (name) => new arrow.Field(name, new arrow.Utf8(), true);
  const item = new arrow.Field("item", new arrow.Float32(), true);
  return new arrow.Schema([
    text("id"), text("text"), new arrow.Field("vector", new arrow.FixedSizeList(width, item), true), text("category"), text("scope"),
    new arrow.Field("importance", new arrow.Float64(), true), new arrow.Field("timestamp", new arrow.Int64(), true), text("metadata"),
  ]);
}

async function write({ rows, integerTimes, without }) {
  const db = await lancedb.connect(where);
  const width = rows[0].vector.length;
  const shaped = (row) => {
    const kept = Object.fromEntries(columns.filter((name) => !without?.includes(name)).map((name) => [name, row[name] ?? null]));
    if (integerTimes && kept.timestamp !== null) kept.timestamp = BigInt(kept.timestamp);
    return kept;
  };
  const first = { id: "__schema__", text: "", vector: Array(width).fill(0), category: "other", scope: "global", importance: 0, timestamp: 0, metadata: "{}" };
  const table = await db.createTable("memories", [shaped(first)], integerTimes ? { schema: schemaOf(width) } : {});
  await table.delete("id = '__schema__'");
  await table.createIndex("text", { config: lancedb.Index.fts({ withPosition: true }) });
  for (let i = 0; i < rows.length; i += 4) await table.add(rows.slice(i, i + 4).map(shaped)); // several commits
  for (const row of rows.slice(0, 3)) { // its way of updating
    await table.delete(`id = '${row.id}'`);
    await table.add([shaped(row)]);
  }
  await table.optimize();
  return { rows: await table.countRows(), version: await table.version(), schema: String(await table.schema()) };
}

async function check({ vector, text, filter, row, touch }) {
  const db = await lancedb.connect(where);
  const table = await db.openTable("memories");
  const ids = (found) => found.map(({ id }) => id);
  const answer = {
    tables: await db.tableNames(),
    rows: await table.countRows(),
    filtered: await table.countRows(filter),
    nearest: ids(await table.search(vector).distanceType("cosine").limit(3).toArray()),
    listed: (await table.query().where(filter).select(["id", "text", "scope", "timestamp", "importance", "metadata"]).toArray())
      .map(({ id, text, scope, timestamp, importance, metadata }) => ({ id, text, scope, timestamp: Number(timestamp), importance, metadata })),
  };
  try { // an index in a newer format is ignored; then the plugin makes its own
    answer.words = ids(await table.search(text, "fts").limit(3).toArray());
  } catch (error) {
    answer.wordsError = String(error.message).split("\n")[0];
    await table.createIndex("text", { config: lancedb.Index.fts({ withPosition: true }), replace: true });
    answer.words = ids(await table.search(text, "fts").limit(3).toArray());
  }
  const integer = (await table.schema()).fields.find(({ name }) => name === "timestamp").type.toString() === "Int64";
  const own = (r) => (integer ? { ...r, timestamp: BigInt(r.timestamp) } : r);
  await table.add([own(row)]);
  if (touch) { // delete and add again, as the plugin updates
    const [old] = await table.query().where(`id = '${touch}'`).limit(1).toArray();
    await table.delete(`id = '${touch}'`);
    const { id, text, category, scope, importance, timestamp } = old;
    await table.add([{ id, text, vector: Array.from(old.vector), category, scope, importance, timestamp, metadata: old.metadata }]);
  }
  await table.optimize({ cleanupOlderThan: new Date() });
  answer.after = await table.countRows();
  return answer;
}

let input = "";
for await (const chunk of process.stdin) input += chunk;
const answer = await { write, check }[verb](JSON.parse(input));
process.stdout.write(JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
