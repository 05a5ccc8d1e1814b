// A beam search and the recorded pass of one of its hypotheses: views/decoding/pack.py.

import type { Place, SearchContent } from "../decoding/search.ts";
import type { TransformerConfig } from "../model/config.ts";
import type { Tokenizer } from "../model/tokenizer.ts";
import type { TraceContent } from "../trace/payload.ts";
import { cacheOf } from "./cache_cost.ts";
import { rerank } from "./n_best.ts";
import { traceContent } from "./overview.ts";
import { bools, pack } from "./pack.ts";
import type { SearchTree } from "./search_tree.ts";
import type { Trace } from "./trace.ts";

const ALPHAS = Array.from({ length: 31 }, (_, n) => (n - 10) / 10); // of the slider that ranks anew
const BY_ALPHA = ["gnmt", "power"]; // where α plays a part

// `greedy`: what greedy search writes; `nSource`: tokens, the end token counted.
export function packSearch(
  tree: SearchTree,
  greedy: readonly number[],
  tokenizer: Tokenizer,
  config: TransformerConfig,
  nSource: number,
): Uint8Array<ArrayBuffer> {
  const { beamSize, normalization, lengthPenalty } = tree.options;
  const nodes = tree.levels.flat();
  const none = { shape: [0], values: new Float64Array() };
  const content: SearchContent = {
    method: "beam",
    beam: beamSize,
    normalization,
    alpha: lengthPenalty,
    counts: integers(tree.levels.map(({ length }) => length)),
    nodes: {
      parents: integers(nodes.map(({ parent }) => parent)),
      tokens: nodes.map(({ tokenId }) => tokenizer.label(tokenId)),
      logProbs: numbers(nodes.map(({ logProb }) => logProb)),
      sums: numbers(nodes.map(({ totalLogProb }) => totalLogProb)),
      scores: numbers(nodes.map(({ score }) => score)),
      margins: numbers(nodes.map(({ margin }) => margin)),
      probabilities: numbers(nodes.map(() => NaN)),
      statuses: names(nodes.map(({ status }) => status)),
      reasons: names(nodes.map(({ reason }) => reason)),
    },
    draws: { draw: none, kept: integers([]), mass: none, low: none, high: none },
    best: tree.best,
    end: tokenizer.label(config.end_id),
    greedy: tree.follow(greedy),
    ended: tree.ended.map((node) => ({ node, text: tokenizer.decode(tree.ids(node)) })),
    rankings: rankingsOf(tree, config.max_len),
    cache: cacheOf(config, nSource, tree.levels.length),
  };
  return pack(content);
}

// With the recorded pass of the hypothesis that ends in `node`.
export function shownContent(
  packed: Uint8Array,
  trace: Trace,
  node: Place,
): { search: Uint8Array; node: Place; trace: TraceContent } {
  return { search: packed, node, trace: traceContent(trace, ["decoder_self", "cross"]) };
}

// The finished hypotheses ranked by every α and by the search's own.
function rankingsOf(tree: SearchTree, maxLen: number): SearchContent["rankings"] {
  const { options, steps } = tree;
  if (!BY_ALPHA.includes(options.normalization)) return null;
  const alphas = [...new Set([...ALPHAS, options.lengthPenalty])].sort((one, other) => one - other);
  const found = alphas.map((lengthPenalty) => rerank(steps, { ...options, lengthPenalty }, maxLen));
  const ranked = found.flatMap(({ hypotheses }) => hypotheses);
  const places = new Map(tree.finished.map((node) => [String(tree.ids(node)), node]));
  return {
    alphas: numbers(alphas),
    counts: integers(found.map(({ hypotheses }) => hypotheses.length)),
    nodes: {
      shape: [ranked.length, 2],
      values: Int32Array.from(ranked.flatMap(({ ids }) => places.get(String(ids)) as Place)),
    },
    scores: numbers(ranked.map(({ score }) => score)),
    steps: integers(found.map((one) => one.steps)),
    needsSearch: bools({
      shape: [found.length],
      values: Uint8Array.from(found, ({ needsSearch }) => Number(needsSearch)),
    }),
  };
}

function integers(values: readonly number[]) {
  return { shape: [values.length], values: Int32Array.from(values) };
}

function numbers(values: readonly number[]) {
  return { shape: [values.length], values: Float64Array.from(values) };
}

// Names that repeat often: the list of different ones, and the index of each name in it.
function names(values: readonly string[]) {
  const all = [...new Set(values)].sort();
  return {
    names: all,
    codes: { shape: [values.length], values: Uint8Array.from(values, (value) => all.indexOf(value)) },
  };
}
