// Runs modules that tvm.support.emcc.create_tvmjs_wasm has made, in a page and in node, without emscripten's own JavaScript.
import { Suspension } from "./suspension.mjs";
import { cellsOf, resultOf } from "./values.mjs";
import { wasi } from "./wasi.mjs";
import { webgpuImports } from "./webgpu.mjs";

/** An error of the module: a C++ or C error with its kind (ValueError, ...), a trap, a C++ exception that was not caught. */
export class TVMError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = "TVMError";
    this.kind = kind;
  }
}

/**
 * Instantiate a module. `imports` are functions that it was linked with (`imports=`), `suspending` those of them that return a
 * promise (`asyncify=True`), `device` is the page's GPUDevice, `print` gets each line of its output.
 */
export async function load(bytes, { imports = {}, suspending = {}, device = null, print = console.log } = {}) {
  const compiled = await WebAssembly.compile(bytes);
  const module = new Module(device);
  const provided = {
    env: { emscripten_notify_memory_growth: () => {}, ...imports, ...module.suspension.wrap(suspending) },
    tvm_webgpu: module.gpu.imports,
    wasi_snapshot_preview1: wasi(module, print),
  };
  for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
    if (provided[from]?.[name] === undefined) {
      throw new TVMError("LinkError", `the module wants the function ${from}.${name}: give it to load() in imports`);
    }
  }
  module.start(await WebAssembly.instantiate(compiled, provided));
  return module;
}

/** An instantiated module. Arrays are copied into its memory for a call, and back after it. */
class Module {
  constructor(device) {
    this.suspension = new Suspension(this);
    this.gpu = webgpuImports(this, device);
  }

  start(instance) {
    this.exports = instance.exports;
    this.guarded("_initialize", () => this.exports._initialize());
  }

  get bytes() {
    // Made anew each time: a memory that grows leaves its old buffer behind.
    return new Uint8Array(this.exports.memory.buffer);
  }

  get view() {
    return new DataView(this.exports.memory.buffer);
  }

  /** Call an exported function. A Float32Array is passed as a pointer to its numbers; anything else as it is. */
  run(name, ...args) {
    const lent = new Lent(this);
    try {
      const words = args.map((arg) => lent.word(arg));
      const result = this.guarded(name, () => this.exported(name)(...words));
      lent.giveBack();
      return result;
    } finally {
      lent.free();
    }
  }

  /** As `run`, for a function that calls a suspending import. Returns a promise of its result. */
  async runAsync(name, ...args) {
    const lent = new Lent(this);
    try {
      const words = args.map((arg) => lent.word(arg));
      const result = await this.suspension.run(() => this.guarded(name, () => this.exported(name)(...words)));
      lent.giveBack();
      return result;
    } finally {
      lent.free();
    }
  }

  /** Call a function that is registered by name. Arguments: numbers, strings, booleans, null, Float32Array, {data, shape}. */
  call(name, ...args) {
    const lent = new Lent(this);
    try {
      const cells = cellsOf(this, lent, args);
      const code = this.guarded(name, () => this.exports.tvm_call(lent.text(name), cells.first, args.length, cells.result));
      if (code !== 0) throw this.lastError();
      lent.giveBack();
      return resultOf(this, cells.result);
    } finally {
      lent.free();
    }
  }

  /** Check what a function of webgpu_runtime returned: below zero is an error. */
  checked(code) {
    if (code < 0) throw this.lastError();
    return code;
  }

  /** Take the error that the last call has left. */
  lastError() {
    const pointer = this.exports.tvm_last_error() >>> 0;
    const text = pointer === 0 ? "RuntimeError: the call failed without an error" : this.textAt(pointer);
    const [, kind, message] = /^(\w+): ([\s\S]*)$/.exec(text);
    return new TVMError(kind, message);
  }

  /** Return the text that ends with a zero byte at an address. */
  textAt(pointer) {
    const bytes = this.bytes;
    return new TextDecoder().decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
  }

  exported(name) {
    if (typeof this.exports[name] !== "function") {
      throw new TVMError("AttributeError", `the module exports no function ${name}: link it with exports=`);
    }
    return this.exports[name];
  }

  /** Run a part of the module, and turn what WebAssembly throws into an error that says more. */
  guarded(name, body) {
    try {
      return body();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        // What abort() and a C++ throw that nothing can catch end in.
        const hint = error.message === "unreachable" ? "; a C++ throw does that unless the module is linked with exceptions" : "";
        throw new TVMError("Trap", `${name} trapped: ${error.message}${hint}`);
      }
      if (WebAssembly.Exception !== undefined && error instanceof WebAssembly.Exception) {
        throw new TVMError("RuntimeError", `a C++ exception left ${name}; register the function, or catch it there`);
      }
      throw error;
    }
  }
}

/** Memory of the module that is lent for one call. */
class Lent {
  constructor(module) {
    this.module = module;
    this.blocks = [];
    this.arrays = [];
  }

  block(nbytes) {
    // Addresses above 2 GiB come as negative numbers.
    const pointer = this.module.exports.tvm_bytes_alloc(nbytes) >>> 0;
    if (pointer === 0) {
      const all = this.module.exports.memory.buffer.byteLength;
      throw new TVMError("MemoryError", `the module has no ${nbytes} bytes left in its memory of ${all}: link it with more, or with growth`);
    }
    this.blocks.push(pointer);
    return pointer;
  }

  text(text) {
    const bytes = new TextEncoder().encode(text);
    if (bytes.includes(0)) throw new TypeError("text for the module must not hold a zero character");
    const pointer = this.block(bytes.length + 1);
    this.module.bytes.set(bytes, pointer);
    this.module.bytes[pointer + bytes.length] = 0;
    return pointer;
  }

  array(array) {
    const pointer = this.block(array.byteLength);
    new Float32Array(this.module.exports.memory.buffer, pointer, array.length).set(array);
    this.arrays.push([array, pointer]);
    return pointer;
  }

  word(arg) {
    return arg instanceof Float32Array ? this.array(arg) : arg;
  }

  giveBack() {
    for (const [array, pointer] of this.arrays) {
      array.set(new Float32Array(this.module.exports.memory.buffer, pointer, array.length));
    }
  }

  free() {
    for (const pointer of this.blocks) this.module.exports.tvm_bytes_free(pointer);
  }
}
