// Lets a module that was linked with asyncify=True wait for promises: its stack is put away, and called again when they are kept.
const STACK = 65536;
const NORMAL = 0, UNWINDING = 1, REWINDING = 2;

export class Suspension {
  constructor(module) {
    this.module = module;
    this.busy = false;
  }

  /** Make functions that return promises into imports. */
  wrap(functions) {
    return Object.fromEntries(Object.entries(functions).map(([name, body]) => [name, (...args) => this.#meet(body, args)]));
  }

  /** Run `body`, as often as it takes, until it ends with no promise open. */
  async run(body) {
    const { exports } = this.module;
    if (exports.asyncify_get_state === undefined) throw new TypeError("the module is not linked with asyncify=True");
    if (this.busy) throw new TypeError("the module is suspended: wait for the promise of its first call");
    const stack = exports.tvm_bytes_alloc(STACK);
    this.busy = true;
    try {
      this.stack = stack;
      this.#reset();
      let result = body();
      while (exports.asyncify_get_state() === UNWINDING) {
        exports.asyncify_stop_unwind();
        this.value = await this.promise;
        exports.asyncify_start_rewind(stack);
        result = body();
      }
      return result;
    } finally {
      this.busy = false;
      exports.tvm_bytes_free(stack);
    }
  }

  #meet(body, args) {
    const { exports } = this.module;
    if (exports.asyncify_get_state() === REWINDING) {
      exports.asyncify_stop_rewind();
      return this.value;
    }
    if (exports.asyncify_get_state() !== NORMAL || !this.busy) throw new TypeError("call the function with runAsync()");
    this.promise = body(...args);
    this.#reset();
    exports.asyncify_start_unwind(this.stack);
    return 0;
  }

  /** Write where the put-away stack begins and ends. */
  #reset() {
    this.module.view.setUint32(this.stack, this.stack + 8, true);
    this.module.view.setUint32(this.stack + 4, this.stack + STACK, true);
  }
}
