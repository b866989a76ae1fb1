// node imports.mjs MODULE: a function that the page provides, which returns a promise.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { load } from "../../../web/tvm.mjs";

const bytes = readFileSync(process.argv[2]);
await assert.rejects(load(bytes), /the module wants the function env.ask: give it to load\(\) in imports/);

const asked = [];
const ask = (question) =>
  new Promise((answer) => {
    asked.push(question);
    setTimeout(() => answer(question * 10), 5);
  });
const module = await load(bytes, { suspending: { ask } });
assert.equal(await module.runAsync("sum_of_answers", 3), 60);
assert.deepEqual(asked, [1, 2, 3]);
assert.equal(await module.runAsync("sum_of_answers", 2), 30);
assert.throws(() => module.run("sum_of_answers", 1), /runAsync/);
const first = module.runAsync("sum_of_answers", 1);
await assert.rejects(module.runAsync("sum_of_answers", 1), /is suspended/);
assert.equal(await first, 10);
console.log("suspended and went on");
