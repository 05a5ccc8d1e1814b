// @ts-nocheck
// Reads the bytes that `pack_trace` and `trace_view` in trace_view.py write; the format is described there.

import { WEIGHTS } from "../kit/colour.ts";
import { reader } from "../kit/reader.ts";

export function decode(bytes) {
  const read = reader(bytes);
  return { request: read.readJson(), trace: decodeTrace(read) };
}

// What `pack_trace` wrote.
export function decodeTrace({ readJson, readArray }) {
  const trace = readJson();
  const cells = (module) => module.queries.length * module.keys.length;
  for (const module of trace.modules) {
    const size = trace.heads * cells(module);
    const weights = Array.from({ length: module.layers }, () => readArray(Float32Array, size));
    module.weightsIn = (layer) => weights[layer];
  }
  for (const module of trace.modules) {
    const masks = Array.from({ length: module.layers }, () => readArray(Uint8Array, cells(module)));
    module.maskIn = (layer) => masks[layer];
  }
  return { ...trace, layers: Math.max(...trace.modules.map((module) => module.layers)) };
}

// One head's matrix of one module, whose weightsIn(layer) has those of all heads, and maskIn(layer) the mask of all. A
// layer that the module does not have becomes its last one.
export function matrixOf(trace, module, layer, head) {
  const { queries, keys, predicted } = module;
  const size = queries.length * keys.length;
  const ownLayer = Math.min(layer, module.layers - 1);
  const place = ownLayer * trace.heads + head;
  const views = (module.views ??= []); // one view of a matrix, so that a figure sees that it did not change
  views[place] ??= module.weightsIn(ownLayer).subarray(head * size, (head + 1) * size);
  return {
    queries,
    keys,
    predicted, // by each query of the decoder; the encoder predicts nothing
    layer: ownLayer,
    head,
    scale: WEIGHTS,
    values: views[place],
    mask: module.maskIn(ownLayer),
  };
}
