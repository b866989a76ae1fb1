// node errors.mjs MODULE caught|trapped: how errors of C and C++ reach JavaScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { load, TVMError } from "../../../web/tvm.mjs";

const [file, mode] = process.argv.slice(2);
const module = await load(readFileSync(file));
const raised = (kind, pattern) => (error) => {
  assert.ok(error instanceof TVMError && error instanceof Error, String(error));
  assert.equal(error.kind, kind);
  assert.match(error.message, pattern);
  return true;
};

// A C function gives its error back: that needs no exceptions.
const x = new Float32Array([1, 2, 3, 4]);
assert.equal(module.call("check.scale", { data: x, shape: [2, 2] }, 2.5), 4);
assert.deepEqual([...x], [2.5, 5, 7.5, 10]);
assert.throws(() => module.call("check.scale", "text", 2), raised("TypeError", /^scale wants a tensor and a float$/));
assert.throws(() => module.call("check.absent"), raised("ValueError", /no function is registered as 'check.absent'/));
assert.throws(() => module.run("absent"), raised("AttributeError", /exports no function absent/));
assert.throws(() => module.call("check.scale", { data: x, shape: [3] }, 1), /a shape of 3 is not one of 4 numbers/);

// A C++ function throws.
assert.deepEqual(module.call("ffi.json.Parse", "1.5"), 1.5);
if (mode === "caught") {
  for (let turn = 0; turn < 3; turn += 1) {
    assert.throws(() => module.call("ffi.json.Parse", "[1,"), raised("ValueError", /Syntax error near: line 1 column 4/));
  }
  assert.throws(() => module.run("throw_out"), raised("RuntimeError", /a C\+\+ exception left throw_out/));
  assert.equal(module.call("ffi.json.Parse", "true"), true);
} else {
  assert.throws(() => module.call("ffi.json.Parse", "[1,"), raised("Trap", /trapped.*linked with exceptions/));
}
console.log(`errors are ${mode}`);
