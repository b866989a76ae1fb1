// node kernel.mjs MODULE CALL.json: call an exported kernel. A word is {input: FILE}, {result: FILE, size: N} or a number.
import { readFileSync, writeFileSync } from "node:fs";
import { load } from "../../../web/tvm.mjs";

const [file, call] = process.argv.slice(2);
const { name, words } = JSON.parse(readFileSync(call, "utf8"));
const module = await load(readFileSync(file));
const floats = (path) => new Float32Array(new Uint8Array(readFileSync(path)).buffer);
const args = words.map((word) => {
  if (typeof word === "number") return word;
  return word.input === undefined ? new Float32Array(word.size) : floats(word.input);
});
module.run(name, ...args);
words.forEach((word, place) => {
  if (word.result !== undefined) writeFileSync(word.result, args[place]);
});
