// Values of JavaScript as cells of apache-tvm-ffi and back: TVMFFIAny of tvm/ffi/c_api.h with pointers of 32 bits.
const CELL = 16;
const NONE = 0, INT = 1, BOOL = 2, FLOAT = 3, TENSOR = 7, RAW_STR = 8, SMALL_STR = 11, STR = 65;
// A string object: its header, then pointer and size.
const HEADER = 24;
// DLTensor: data, device (type, id), dimensions, type (code, bits, lanes), shape, strides, byte offset.
const DLTENSOR = 40, CPU = 1, FLOAT_CODE = 2;

/** Write arguments into new cells, with one more for the result. */
export function cellsOf(module, lent, args) {
  const first = lent.block((args.length + 1) * CELL);
  const result = first + args.length * CELL;
  module.bytes.fill(0, first, result + CELL);
  args.forEach((arg, place) => writeCell(module, lent, first + place * CELL, arg));
  return { first, result };
}

/** Read a result's cell, and give back the object that it owns. */
export function resultOf(module, cell) {
  try {
    return readCell(module, cell);
  } finally {
    module.exports.tvm_cell_release(cell);
  }
}

function writeCell(module, lent, cell, arg) {
  const [type, write] = encoded(module, lent, arg);
  // After encoding: it may have made the memory grow.
  module.view.setInt32(cell, type, true);
  write(module.view, cell + 8);
}

function encoded(module, lent, arg) {
  const pointer = (type, address) => [type, (view, at) => view.setUint32(at, address, true)];
  if (arg === null || arg === undefined) return [NONE, () => {}];
  if (typeof arg === "boolean") return [BOOL, (view, at) => view.setBigInt64(at, arg ? 1n : 0n, true)];
  if (typeof arg === "bigint" || Number.isSafeInteger(arg)) return [INT, (view, at) => view.setBigInt64(at, BigInt(arg), true)];
  if (typeof arg === "number") return [FLOAT, (view, at) => view.setFloat64(at, arg, true)];
  if (typeof arg === "string") return pointer(RAW_STR, lent.text(arg));
  if (arg instanceof Float32Array) return pointer(TENSOR, tensor(module, lent, arg, [arg.length]));
  if (arg.data instanceof Float32Array && Array.isArray(arg.shape)) return pointer(TENSOR, tensor(module, lent, arg.data, arg.shape));
  throw new TypeError(`no cell for ${typeof arg} ${arg}: numbers, strings, booleans, null, Float32Array, {data, shape}`);
}

function tensor(module, lent, array, shape) {
  if (shape.reduce((product, size) => product * size, 1) !== array.length) {
    throw new TypeError(`a shape of ${shape.join(" x ")} is not one of ${array.length} numbers`);
  }
  const data = lent.array(array);
  const sizes = lent.block(shape.length * 8);
  const header = lent.block(DLTENSOR);
  const view = module.view;
  shape.forEach((size, place) => view.setBigInt64(sizes + place * 8, BigInt(size), true));
  module.bytes.fill(0, header, header + DLTENSOR);
  view.setUint32(header, data, true);
  view.setInt32(header + 4, CPU, true);
  view.setInt32(header + 12, shape.length, true);
  view.setUint8(header + 16, FLOAT_CODE);
  view.setUint8(header + 17, 32);
  view.setUint16(header + 18, 1, true);
  view.setUint32(header + 20, sizes, true);
  return header;
}

function readCell(module, cell) {
  const view = module.view;
  const type = view.getInt32(cell, true);
  const text = (start, size) => new TextDecoder().decode(module.bytes.subarray(start, start + size));
  switch (type) {
    case NONE:
      return undefined;
    case INT: {
      const whole = view.getBigInt64(cell + 8, true);
      return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
    }
    case BOOL:
      return view.getBigInt64(cell + 8, true) !== 0n;
    case FLOAT:
      return view.getFloat64(cell + 8, true);
    case SMALL_STR:
      return text(cell + 8, view.getUint32(cell + 4, true));
    case STR: {
      const object = view.getUint32(cell + 8, true) + HEADER;
      return text(view.getUint32(object, true), view.getUint32(object + 4, true));
    }
    default:
      throw new TypeError(`the function returned an object of type ${type}, which has no value in JavaScript`);
  }
}
