// The trace as the overview shows it: every layer and head of its attention, step by step; trace_view.py.

import { ATTENTION_MODULES, type AttentionModule } from "../model/heads.ts";
import { largest } from "../model/search.ts";
import type { TraceContent } from "../trace/payload.ts";
import { doubtsOf } from "./doubts.ts";
import { bools } from "./pack.ts";
import { stacked } from "./stacked.ts";
import type { Trace } from "./trace.ts";

const TOP_K = 8;
export const STEPS_PER_UNIT = 50_000; // as snapshots.py has it

export function traceContent(
  trace: Trace,
  modules: readonly AttentionModule[] = ATTENTION_MODULES,
): Required<TraceContent> {
  return {
    modules: modules.map((module) => moduleContent(trace, module)),
    steps: STEPS_PER_UNIT,
    read: trace.targetTokens,
    predicted: trace.pass.predictedTokens,
    next: nextTokens(trace),
    doubts: trace.isGiven ? [] : doubtsOf(trace),
  };
}

function moduleContent(trace: Trace, name: AttentionModule) {
  const records = trace.layers(name);
  const [{ queryTokens: queries, keyTokens: keys }] = records;
  return {
    name,
    queries,
    keys,
    predicted: trace.predictedIn(name),
    weights: stacked(records.map(({ weights }) => weights)), // (layers, H, T, S)
    mask: bools(stacked(records.map(({ mask }) => mask))), // (layers, T, S)
  };
}

// For each step the likeliest tokens, the one that was taken, and the probability of all others. `ranks` and `logProbs`
// have a last column for a taken token that is not among the likeliest; `tokens` has it only where it is needed.
function nextTokens(trace: Trace): TraceContent["next"] {
  const { predictedIds } = trace.pass;
  const [T, V] = trace.pass.logProbs.shape;
  const K = Math.min(TOP_K, V);
  const ranks = new Int32Array(T * (K + 1));
  const logProbs = new Float32Array(T * (K + 1));
  const taken = new Int32Array(T);
  const rest = new Float64Array(T);
  const tokens = predictedIds.map((id, t) => {
    const row = trace.logProbsAt(t);
    const listed = [...largest(V, (token) => row[token], K), id];
    taken[t] = listed.indexOf(id);
    rest[t] = restOf(row, listed);
    for (const [n, token] of listed.entries()) {
      ranks[t * (K + 1) + n] = n < K ? n + 1 : rankOf(row, id);
      logProbs[t * (K + 1) + n] = row[token];
    }
    return listed.slice(0, Math.max(K, taken[t] + 1)).map(trace.labelOf);
  });
  const shape = [T, K + 1];
  return {
    tokens,
    ranks: { shape, values: ranks },
    logProbs: { shape, values: logProbs },
    taken: { shape: [T], values: taken },
    rest: { shape: [T], values: rest },
    vocabulary: V,
  };
}

function rankOf(row: Float32Array, id: number): number {
  let rank = 1;
  for (const value of row) if (value > row[id]) rank++;
  return rank;
}

// The probability of all tokens but those listed, summed directly: 1 minus the listed would lose digits.
function restOf(row: Float32Array, listed: readonly number[]): number {
  let sum = 0;
  for (let id = 0; id < row.length; id++) if (!listed.includes(id)) sum += Math.exp(row[id]);
  return sum;
}
