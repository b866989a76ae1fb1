// node exports.mjs MODULE: call every function that tvmjs_support and webgpu_runtime export, and see what each does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { load, TVMError } from "../../../web/tvm.mjs";
import { fakeGpu } from "./fake_gpu.mjs";

const WGSL = "@compute @workgroup_size(1) fn twice(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 2 * x[id.x]; }";
const device = fakeGpu({ twice: ([groups], x, y) => y.set(x.subarray(0, groups).map((value) => 2 * value)) });
const module = await load(readFileSync(process.argv[2]), { device });
const own = Object.keys(module.exports).filter((name) => name.startsWith("tvm_"));
const called = new Set();
const plain = module.exports;
module.exports = new Proxy(plain, {
  get: (target, name) => {
    if (own.includes(name)) called.add(name);
    return target[name];
  },
});
const wasm = module.exports;
const rejected = (kind, message) => (error) =>
  error instanceof TVMError && error.kind === kind && error.message.includes(message);

// tvmjs_support: memory
const bytes = wasm.tvm_bytes_alloc(100);
assert.equal(bytes % 64, 0);
assert.ok(bytes > 0);
wasm.tvm_bytes_free(bytes);
assert.equal(wasm.tvm_bytes_alloc(-1), 0);
const cells = wasm.tvm_cells_alloc(3);
assert.deepEqual(module.bytes.slice(cells, cells + 48), new Uint8Array(48));
wasm.tvm_cells_free(cells);
assert.equal(wasm.tvm_cells_alloc(-1), 0);

// tvmjs_support: calls of registered functions, a result that owns an object, the last error
assert.equal(module.call("ffi.String", "short"), "short");
assert.equal(module.call("ffi.String", "a string that does not lie in its cell"), "a string that does not lie in its cell");
assert.equal(module.call("ffi.RecursiveEq", 1, 1), true);
assert.throws(() => module.call("no.such.function"), rejected("ValueError", "no function is registered as 'no.such.function'"));
assert.equal(wasm.tvm_last_error(), 0);

// webgpu_runtime: a buffer, its bytes up and down, a kernel
const count = 8, nbytes = 4 * count;
const x = module.checked(wasm.tvm_webgpu_alloc(nbytes)), y = module.checked(wasm.tvm_webgpu_alloc(nbytes));
const values = wasm.tvm_bytes_alloc(nbytes), target = wasm.tvm_bytes_alloc(nbytes);
const floats = (start) => new Float32Array(plain.memory.buffer, start, count);
floats(values).set([1, 2, 3, 4, 5, 6, 7, 8.5]);
module.checked(wasm.tvm_webgpu_upload(x, 0, values, nbytes));
const list = wasm.tvm_bytes_alloc(8), shader = text(WGSL), entry = text("twice");
new Int32Array(plain.memory.buffer, list, 2).set([x, y]);
module.checked(wasm.tvm_webgpu_dispatch(shader, entry, list, 2, count, 1, 1));
module.checked(wasm.tvm_webgpu_dispatch(shader, entry, list, 2, count, 1, 1));
assert.equal(device.calls.filter((call) => call === "pipeline twice").length, 1);
const ticket = module.checked(wasm.tvm_webgpu_download(y, 4, target, nbytes - 4));
assert.equal(wasm.tvm_webgpu_pending(ticket), 1);
await module.gpu.finished();
assert.equal(wasm.tvm_webgpu_pending(ticket), 0);
assert.deepEqual([...floats(target).subarray(0, count - 1)], [4, 6, 8, 10, 12, 14, 17]);

// webgpu_runtime: what it refuses, each with its reason
const refused = (message, code) => assert.throws(() => module.checked(code), rejected("ValueError", message));
refused("positive multiple of 4 bytes, not 6", wasm.tvm_webgpu_alloc(6));
refused("buffer 99 does not exist", wasm.tvm_webgpu_upload(99, 0, values, 4));
refused("words of 4 bytes", wasm.tvm_webgpu_upload(x, 2, values, 4));
refused("bytes 4 to 36 are not in WebGPU buffer", wasm.tvm_webgpu_download(x, 4, target, nbytes));
refused("workgroups in a dimension, not 0", wasm.tvm_webgpu_dispatch(shader, entry, list, 2, 0, 1, 1));
refused(`no WebGPU download has ticket ${ticket}`, wasm.tvm_webgpu_complete(ticket));
const other = wasm.tvm_webgpu_dispatch(shader, text("thrice"), list, 2, 1, 1, 1);
assert.throws(() => module.checked(other), rejected("RuntimeError", "WebGPU: no entry point thrice"));
module.checked(wasm.tvm_webgpu_free(x));
refused(`buffer ${x} does not exist`, wasm.tvm_webgpu_free(x));

// Without a device, the page is told so.
const alone = await load(readFileSync(process.argv[2]));
assert.throws(() => alone.checked(alone.exports.tvm_webgpu_alloc(4)), rejected("RuntimeError", "no GPUDevice"));

assert.deepEqual([...called].sort(), own.sort(), "exports that were not called");
console.log(`called ${own.length} exported functions`);

function text(words) {
  const encoded = new TextEncoder().encode(`${words}\0`);
  const start = wasm.tvm_bytes_alloc(encoded.length);
  module.bytes.set(encoded, start);
  return start;
}
