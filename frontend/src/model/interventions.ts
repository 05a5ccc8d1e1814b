// What-if changes to the forward pass, as interventions.py and slips.py have them: the same names and fields, as
// `intervention_to_dict` writes them. Each becomes a hook, which acts inside the pass that is recorded.

import { cellsOf } from "./attention.ts";
import type { TransformerConfig } from "./config.ts";
import { ATTENTION_MODULES, type AttentionModule, checkHead, type HeadRef, hookPath, parseHookPath } from "./heads.ts";
import type { Hook } from "./hooks.ts";
import { brief, SentenceError } from "./sentences.ts";
import { type Floats, type Ids, type Mask, mapped, softmax, type Tensor, taken, zeros } from "./tensor.ts";

type Side = "source" | "target" | "both";

// Sets what some heads contribute to zero, at `context`. Their weights are still computed, so that they stay visible.
interface AblateHeads {
  readonly kind: "AblateHeads";
  readonly heads: readonly HeadRef[];
}

// Divides QKᵀ by √d_k (the paper), by nothing, or by √d_model (a common mistake), in every module; once a pass.
interface ScaleScores {
  readonly kind: "ScaleScores";
  readonly divisor: "sqrt_d_k" | "none" | "sqrt_d_model";
}

// Divides QKᵀ / √d_k by `temperature` as well, in every module.
interface Temperature {
  readonly kind: "Temperature";
  readonly temperature: number;
}

// Multiplies the scaled scores of one head by `factor`.
interface ScaleHead {
  readonly kind: "ScaleHead";
  readonly head: HeadRef;
  readonly factor: number;
}

// Takes the masks of some modules away, or multiplies by them after the softmax, without renormalising.
interface ChangeMask {
  readonly kind: "ChangeMask";
  readonly mode: "on" | "off" | "after_softmax";
  readonly modules: readonly AttentionModule[];
}

// Adds no positional encoding: the side becomes a bag of words.
interface PositionsOff {
  readonly kind: "PositionsOff";
  readonly side: Side;
}

// Gives every token the positional encoding of a place `offset` further on.
interface ShiftPositions {
  readonly kind: "ShiftPositions";
  readonly offset: number;
  readonly side: Side;
}

// Reads the source tokens in another order: token order[i] comes at place i. The end token counts, too.
interface PermuteSource {
  readonly kind: "PermuteSource";
  readonly order: readonly number[];
}

// `softmax(dim=-2)`: over the queries in place of the keys.
interface SoftmaxOverQueries {
  readonly kind: "SoftmaxOverQueries";
}

// Reads every mask the wrong way round.
interface InvertMasks {
  readonly kind: "InvertMasks";
}

// Masks the diagonal of the decoder's self-attention, too: no token attends to itself.
interface MaskDiagonal {
  readonly kind: "MaskDiagonal";
}

// Takes the queries of cross-attention from the encoder's output, as keys and values are.
interface QueryFromMemory {
  readonly kind: "QueryFromMemory";
}

// Positional encodings of cosines alone.
interface CosineTwice {
  readonly kind: "CosineTwice";
}

export type Intervention =
  | AblateHeads
  | ScaleScores
  | Temperature
  | ScaleHead
  | ChangeMask
  | PositionsOff
  | ShiftPositions
  | PermuteSource
  | SoftmaxOverQueries
  | InvertMasks
  | MaskDiagonal
  | QueryFromMemory
  | CosineTwice;

type Makers = {
  readonly [Kind in Intervention["kind"]]: (
    one: Extract<Intervention, { kind: Kind }>,
    config: TransformerConfig,
  ) => Hook;
};

const FILL = -1e9; // what the slips put into a masked cell: −Infinity would make NaN of a row without a key

const MAKERS: Makers = {
  AblateHeads({ heads }, config) {
    for (const head of heads) checkHead(head, config);
    return (name, tensor) => {
      const ablated = heads.filter(([module, layer]) => name === `${hookPath(module, layer)}.context`);
      return ablated.length
        ? changedHeads(tensor as Floats, new Set(ablated.map(([, , head]) => head)), () => 0)
        : null;
    };
  },

  ScaleScores({ divisor }, config) {
    checkChoice("divisor", divisor, ["sqrt_d_k", "none", "sqrt_d_model"]);
    const factor = ({ d_k, d_model, scoreDivisor }: TransformerConfig) =>
      scoreDivisor / { sqrt_d_k: Math.sqrt(d_k), none: 1, sqrt_d_model: Math.sqrt(d_model) }[divisor];
    const [inEncoder, inDecoder] = [factor(config), factor(config.decoder)];
    return (name, tensor) => {
      if (!name.endsWith(".scaled_scores")) return null;
      return mapped(tensor as Floats, (score) => score * (name.startsWith("encoder") ? inEncoder : inDecoder));
    };
  },

  Temperature({ temperature }) {
    checkRange("temperature", temperature);
    return (name, tensor) =>
      name.endsWith(".scaled_scores") ? mapped(tensor as Floats, (score) => score / temperature) : null;
  },

  ScaleHead({ head, factor }, config) {
    checkHead(head, config);
    checkRange("factor", factor);
    const [module, layer, number] = head;
    const point = `${hookPath(module, layer)}.scaled_scores`;
    return (name, tensor) =>
      name === point ? changedHeads(tensor as Floats, new Set([number]), (score) => score * factor) : null;
  },

  ChangeMask({ mode, modules }) {
    checkChoice("mode", mode, ["on", "off", "after_softmax"]);
    for (const module of modules) checkChoice("module", module, ATTENTION_MODULES);
    const seen = new Map<string, Tensor>(); // of the module that is being computed
    return (name, tensor) => {
      const place = parseHookPath(name);
      if (!place || !modules.includes(place.module) || mode === "on") return null;
      const { stage } = place;
      if (mode === "off") return stage === "mask" ? { ...tensor, values: tensor.values.map(() => 1) } : null;
      if (stage === "mask" || stage === "scaled_scores") seen.set(stage, tensor);
      if (stage === "masked_scores") return seen.get("scaled_scores") as Floats;
      return stage === "weights" ? timesMask(tensor as Floats, seen.get("mask") as Mask) : null;
    };
  },

  PositionsOff({ side }) {
    const names = positionPoints(side, "encoding");
    return (name, { shape }) => (names.includes(name) ? zeros(...shape) : null);
  },

  ShiftPositions({ offset, side }) {
    if (!(Number.isInteger(offset) && offset >= 0 && offset <= 2 ** 20)) {
      throw new SentenceError("offset must be a whole number from 0 to {limit}; it was {offset}.", {
        limit: 2 ** 20,
        offset: brief(offset),
      });
    }
    const names = positionPoints(side, "positions");
    return (name, { shape, values }) =>
      names.includes(name) ? { shape, values: (values as Int32Array).map((position) => position + offset) } : null;
  },

  PermuteSource({ order }) {
    if ([...order].sort((a, b) => a - b).some((place, n) => place !== n)) {
      throw new SentenceError("order must hold each of 0 to {last} once; it was {order}.", {
        last: order.length - 1,
        order: brief(order),
      });
    }
    return (name, tensor) => {
      if (name !== "source_tokens") return null;
      const S = tensor.shape[1];
      if (S !== order.length) {
        throw new SentenceError(
          "The order is for {expected} source tokens, the end token included; there are {found}.",
          { expected: order.length, found: S },
        );
      }
      const { values } = taken({ shape: [S], values: (tensor as Ids).values }, order);
      return { shape: [1, S], values };
    };
  },

  SoftmaxOverQueries() {
    let filled: Floats | null = null; // of the module that is being computed
    return (name, tensor) => {
      if (name.endsWith(".masked_scores")) return (filled = withFill(tensor as Floats));
      return name.endsWith(".weights") && filled ? turned(softmax(turned(filled))) : null;
    };
  },

  InvertMasks() {
    return (name, tensor) => {
      if (name.endsWith(".mask")) return { ...tensor, values: (tensor as Mask).values.map((may) => 1 - may) };
      return name.endsWith(".masked_scores") ? withFill(tensor as Floats) : null;
    };
  },

  MaskDiagonal() {
    let T = 0; // of the module that is being computed: a mask may have one row for all queries
    return (name, tensor) => {
      const place = parseHookPath(name);
      if (place?.module !== "decoder_self") return null;
      if (place.stage === "q") T = tensor.shape[2];
      if (place.stage === "mask") return withoutDiagonal(tensor as Mask, T);
      return place.stage === "masked_scores" ? withFill(tensor as Floats) : null;
    };
  },

  QueryFromMemory() {
    let memory: Tensor | null = null; // [1, S, d_model]
    return (name, tensor) => {
      if (name === "memory") memory = tensor;
      if (!name.endsWith(".cross_attention.query_input")) return null;
      if (!memory) {
        throw new SentenceError("Queries from the encoder need one pass over source and target: it cannot write.");
      }
      if (memory.shape[1] !== tensor.shape[1]) {
        throw new SentenceError(
          "Queries from the encoder need a target as long as the source; they have {target} and {source} tokens.",
          { target: tensor.shape[1], source: memory.shape[1] },
        );
      }
      return memory;
    };
  },

  CosineTwice(_one, { positions, sines_first, d_model }) {
    const half = d_model / 2;
    return (name, { shape, values }) => {
      if (positions !== "sinusoidal" || !name.endsWith(".positions.encoding")) return null;
      return {
        shape,
        values: (values as Float32Array).map((_, i, all) => {
          const column = i % d_model;
          const cosine = sines_first ? half + (column % half) : column | 1;
          return all[i - column + cosine];
        }),
      };
    };
  },
};

// Fresh hooks for one pass: in the order of the list, but for masks after the softmax, which act last. Such a mask gives
// the softmax the scores as they were before masking, so all else must have scaled them by then.
//
// Throws: a SentenceError where the model cannot be changed this way.
export function hooksOf(interventions: readonly Intervention[], config: TransformerConfig): Hook[] {
  const divisors = interventions.filter(({ kind }) => kind === "ScaleScores").length;
  if (divisors > 1) {
    throw new SentenceError("Scores have one divisor, but ScaleScores was listed {divisors} times; list it once.", {
      divisors,
    });
  }
  const isLast = (one: Intervention) => Number(one.kind === "ChangeMask" && one.mode === "after_softmax");
  return [...interventions]
    .sort((one, other) => isLast(one) - isLast(other))
    .map((one) => {
      if (!Object.hasOwn(MAKERS, one.kind)) {
        throw new SentenceError("There is no intervention {kind}.", { kind: brief(one.kind) });
      }
      const make = MAKERS[one.kind] as (one: Intervention, config: TransformerConfig) => Hook;
      return make(one, config);
    });
}

// x [B, H, L, …], the numbers of some heads changed
function changedHeads(x: Floats, heads: ReadonlySet<number>, change: (value: number) => number): Floats {
  const [, H, L, width] = x.shape;
  const isChanged = (i: number) => heads.has(Math.floor(i / (L * width)) % H);
  return { shape: x.shape, values: x.values.map((value, i) => (isChanged(i) ? change(value) : value)) };
}

// weights [B, H, T, S], mask [B or 1, 1, T or 1, S]
function timesMask(weights: Floats, mask: Mask): Floats {
  const cell = cellsOf(mask, weights.shape);
  return { shape: weights.shape, values: weights.values.map((weight, i) => weight * mask.values[cell(i)]) };
}

function withFill(scores: Floats): Floats {
  return mapped(scores, (score) => Math.max(score, FILL));
}

// mask [B, 1, T or 1, S] -> [B, 1, T, S]; the queries are the last of the keys
function withoutDiagonal(mask: Mask, T: number): Mask {
  const [B, , , S] = mask.shape;
  const shape = [B, 1, T, S];
  const cell = cellsOf(mask, shape);
  const isOwn = (i: number) => i % S === S - T + (Math.floor(i / S) % T);
  return { shape, values: Uint8Array.from({ length: B * T * S }, (_, i) => (isOwn(i) ? 0 : mask.values[cell(i)])) };
}

// [B, H, T, S] -> [B, H, S, T]
function turned(x: Floats): Floats {
  const [B, H, T, S] = x.shape;
  const result = zeros(B, H, S, T);
  for (let n = 0; n < B * H; n++)
    for (let t = 0; t < T; t++)
      for (let s = 0; s < S; s++) result.values[(n * S + s) * T + t] = x.values[(n * T + t) * S + s];
  return result;
}

function positionPoints(side: Side, point: string): string[] {
  checkChoice("side", side, ["source", "target", "both"]);
  const sides = side === "both" ? ["source", "target"] : [side];
  return sides.map((name) => `${name}_embedding.positions.${point}`);
}

function checkChoice(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) {
    throw new SentenceError("{name} must be one of {allowed}; it was {value}.", {
      name,
      allowed: allowed.join(", "),
      value: brief(value),
    });
  }
}

function checkRange(name: string, value: number): void {
  if (!(typeof value === "number" && value >= 1e-3 && value <= 1e3)) {
    throw new SentenceError("{name} must be a number from 0.001 to 1000; it was {value}.", {
      name,
      value: brief(value),
    });
  }
}
