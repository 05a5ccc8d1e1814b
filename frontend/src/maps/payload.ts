// @ts-nocheck
// Reads the bytes that `pack_maps` or `pack_stages` in heads_payload.py write; the format is described there.

import { reader } from "../kit/reader.ts";

export const decodeMaps = (bytes) => decode(bytes, readMaps);
export const decodeStages = (bytes) => decode(bytes, readStages);

function decode(bytes, readModule) {
  const sections = reader(bytes);
  return { request: sections.readJson(), content: readHeads(sections, readModule) };
}

// What `pack_maps` wrote, or `pack_stages`.
export function readHeads(sections, readModule = readMaps) {
  const content = sections.readJson();
  for (const module of content.modules) readModule(sections, module, content);
  return content;
}

// Masks and weights are unpacked when they are first asked for: most are never shown.
function readMaps({ readArray, align }, module, { heads, steps }) {
  const size = module.queries.length * module.keys.length;
  const bits = readArray(Uint8Array, Math.ceil((module.layers * size) / 8));
  align();
  const codes = module.allowed.map((cells) => readArray(Uint16Array, heads * cells));
  align();
  const [masks, spreads, weights] = [[], [], []];
  module.maskIn = (layer) => (masks[layer] ??= unpacked(bits, layer * size, size));
  module.codesIn = (layer) => (spreads[layer] ??= spread(codes[layer], module.maskIn(layer), heads));
  module.weightsIn = (layer) => (weights[layer] ??= Float32Array.from(module.codesIn(layer), (code) => code / steps));
}

// `length` bits from the one at `first`, one in a byte.
function unpacked(bits, first, length) {
  const cells = new Uint8Array(length);
  for (let n = 0, bit = first; n < length; n++, bit++) cells[n] = (bits[bit >> 3] >> (7 - (bit & 7))) & 1;
  return cells;
}

// -> Uint16Array of heads × cells; masked cells, which have no code, are 0.
function spread(codes, mask, heads) {
  if (codes.length === heads * mask.length) return codes;
  const all = new Uint16Array(heads * mask.length);
  let next = 0;
  for (let head = 0; head < heads; head++) {
    for (let n = 0; n < mask.length; n++) if (mask[n]) all[head * mask.length + n] = codes[next++];
  }
  return all;
}

function readStages({ readArray, align }, module, { heads, depth }) {
  const [rows, columns] = [module.queries.length, module.keys.length];
  module.mask = readArray(Uint8Array, module.layers * rows * columns);
  align();
  module.stages = Array.from({ length: module.layers }, () => ({
    q: readArray(Float32Array, heads * rows * depth),
    k: readArray(Float32Array, heads * columns * depth),
    scores: readArray(Float32Array, heads * rows * columns),
    scaled: readArray(Float32Array, heads * rows * columns),
    weights: readArray(Float32Array, heads * rows * columns),
  }));
}

export function moduleOf({ modules }, view) {
  return modules.find(({ name }) => name === view.module);
}
