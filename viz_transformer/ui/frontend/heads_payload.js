// Reads the bytes that `pack_maps` or `pack_stages` in heads_payload.py write; the format is described there.

import { reader } from "./payload.js";

export function decodeHeads(bytes) {
  const sections = reader(bytes);
  const request = sections.readJson();
  return { request, content: readHeads(sections, request.mode === "query-key" ? readStages : readMaps) };
}

// What `pack_maps` wrote, or `pack_stages`.
export function readHeads(sections, readModule = readMaps) {
  const content = sections.readJson();
  for (const module of content.modules) readModule(sections, module, content);
  return content;
}

function readMaps({ readArray, align }, module, { heads, steps }) {
  const size = module.queries.length * module.keys.length;
  const bits = readArray(Uint8Array, Math.ceil((module.layers * size) / 8));
  align();
  module.mask = new Uint8Array(module.layers * size);
  for (let n = 0; n < module.mask.length; n++) module.mask[n] = (bits[n >> 3] >> (7 - (n & 7))) & 1;
  module.weights = new Float32Array(module.layers * heads * size);
  for (let layer = 0; layer < module.layers; layer++) {
    const cells = [];
    for (let n = 0; n < size; n++) if (module.mask[layer * size + n]) cells.push(n);
    const codes = readArray(Uint16Array, heads * cells.length);
    for (let head = 0; head < heads; head++) {
      const [from, to] = [head * cells.length, (layer * heads + head) * size];
      for (let n = 0; n < cells.length; n++) module.weights[to + cells[n]] = codes[from + n] / steps;
    }
  }
  align();
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
