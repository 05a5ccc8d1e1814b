// All heads of a pass, two bytes a weight, and every measure of every head: maps.py.

import type { Labels } from "../kit/dom.ts";
import type { PackedMaps, PackedModule } from "../maps/maps.ts";
import { ATTENTION_MODULES, type AttentionModule, stackOf } from "../model/heads.ts";
import type { Mask } from "../model/tensor.ts";
import { MEASURES } from "./measures.ts";
import { STEPS_PER_UNIT } from "./overview.ts";
import { stacked } from "./stacked.ts";
import type { AttentionRecord, Trace } from "./trace.ts";

// `labels`: of each measure, by its name.
export function mapsContent(trace: Trace, labels: Labels): PackedMaps & { notes: readonly never[] } {
  return {
    modules: ATTENTION_MODULES.map((module) => {
      const records = trace.layers(module);
      const masks = records.map(withNumbers);
      const about = moduleContent(trace, module, masks);
      return { ...about, codes: codesOf(records, masks) };
    }),
    steps: STEPS_PER_UNIT,
    scores: MEASURES.map(({ name, modules, of }) => ({
      name,
      label: labels[name],
      values: Object.fromEntries(
        ATTENTION_MODULES.map((module) => {
          const records = trace.layers(module);
          const { n_heads } = stackOf(trace.config, module);
          const values = records.flatMap(modules.includes(module) ? of : () => new Array(n_heads).fill(NaN));
          return [module, { shape: [records.length, n_heads], values: Float64Array.from(values) }];
        }),
      ),
    })),
    notes: [],
  };
}

// What the browser is told about a module besides its numbers: its mask becomes one bit a cell, most significant first.
export function moduleContent(trace: Trace, module: AttentionModule, masks: readonly Mask[]): PackedModule {
  const [{ queryTokens: queries, keyTokens: keys, weights }] = trace.layers(module);
  const bits = stacked(masks).values;
  const packed = new Uint8Array(Math.ceil(bits.length / 8));
  for (let n = 0; n < bits.length; n++) packed[n >> 3] |= bits[n] << (7 - (n & 7));
  return {
    name: module,
    queries,
    keys,
    predicted: trace.predictedIn(module),
    layers: masks.length,
    heads: weights.shape[0],
    allowed: masks.map(({ values }) => values.reduce((count, bit) => count + bit, 0)),
    mask: { shape: [packed.length], values: packed },
  };
}

// The mask without cells in which a head has no number: a row with every key masked has none.
function withNumbers({ mask, weights }: AttentionRecord): Mask {
  const [H, T, S] = weights.shape;
  const values = mask.values.slice();
  for (let n = 0; n < H * T * S; n++) if (!Number.isFinite(weights.values[n])) values[n % (T * S)] = 0;
  return { shape: mask.shape, values };
}

// Layer by layer and head by head, the weights of the cells that a mask allows, as multiples of 1 / STEPS_PER_UNIT.
function codesOf(records: readonly AttentionRecord[], masks: readonly Mask[]) {
  const codes: number[] = [];
  for (const [layer, { weights }] of records.entries()) {
    const allowed = masks[layer].values;
    for (let n = 0; n < weights.values.length; n++) {
      if (allowed[n % allowed.length]) codes.push(Math.floor(weights.values[n] * STEPS_PER_UNIT + 0.5));
    }
  }
  return { shape: [codes.length], values: Uint16Array.from(codes) };
}
