// node memory.mjs MODULE BYTES: allocate as many bytes; prints the memory's size before and after, or why it failed.
import { readFileSync } from "node:fs";
import { load } from "../../../web/tvm.mjs";

const [file, wanted] = process.argv.slice(2);
const module = await load(readFileSync(file));
const before = module.exports.memory.buffer.byteLength;
try {
  const last = module.run("last_of", new Float32Array(Number(wanted) / 4).fill(7), Number(wanted) / 4);
  console.log(JSON.stringify({ before, after: module.exports.memory.buffer.byteLength, last }));
} catch (error) {
  console.log(JSON.stringify({ before, after: module.exports.memory.buffer.byteLength, kind: error.kind, message: error.message }));
}
