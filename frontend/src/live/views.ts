// The view that each kind opens with, and views fitted to another sentence: as trace_view.py, heads.py, matrices.py,
// decoding/view.py and of_trace.py have them, whose fields these are.

import type { Place } from "../decoding/search.ts";
import { ATTENTION_MODULES, type AttentionModule, layersOf, stackOf } from "../model/heads.ts";
import type { SearchTree } from "./search_tree.ts";
import type { Trace } from "./trace.ts";
import { isSink } from "./words.ts";

type Cell = readonly [query: number, key: number];

export interface OverviewView {
  readonly layer: number;
  readonly head: number;
  readonly step: number;
  readonly module: AttentionModule;
  readonly pinned: Cell | null;
  readonly tinted: boolean;
}

export interface HeadsView {
  readonly module: AttentionModule;
  readonly layer: number;
  readonly head: number;
  readonly heads: readonly number[];
  readonly token: readonly [side: "query" | "key", place: number] | null;
  readonly threshold: number;
  readonly only: AttentionModule | null;
  readonly score: string | null;
  readonly order: "place" | "score";
  readonly is_open: boolean;
  readonly pinned: Cell | null;
  readonly words: boolean;
  readonly nosinks: boolean;
}

export interface StagesView {
  readonly stage: number;
  readonly choices: readonly number[];
  readonly pinned: readonly [matrix: number, row: number, column: number] | null;
}

export interface TreeView {
  readonly layer: number;
  readonly head: number;
  readonly step: number;
  readonly node: Place;
  readonly rerank: number;
  readonly module: AttentionModule;
  readonly pinned: Cell | null;
  readonly zoom: number | null;
  readonly result: "matrices" | "finished" | "cache" | null;
  readonly asked: "force" | "ban" | null;
}

const SOFTMAX_STAGE = 6; // the stage that a sheet opens with, the last but one
const ZOOMS = 4;

// The parts of a view that are places in a text.
const IN_TEXT = ["step", "node", "pinned", "token"];

// A view of another text: layer, head and the like stay, and places in the text are as usual.
export function carried<View extends object>(view: View, usual: View): View {
  return { ...view, ...Object.fromEntries(Object.entries(usual).filter(([name]) => IN_TEXT.includes(name))) };
}

// The step to open with: that of the word for which the trace's head looks most at one source word; where there are no
// words, the last.
export function clearestStep(trace: Trace): number {
  const [, layer, head] = trace.opensWith;
  const { shape, values } = trace.attention("cross", layer).weights;
  const [, T, S] = shape;
  let best = T - 1;
  let largest = -Infinity;
  for (let t = 0; t < T; t++) {
    if (isSink(trace.pass.predictedTokens[t])) continue;
    for (let s = 0; s < S; s++) {
      const weight = values[(head * T + t) * S + s];
      if (!isSink(trace.sourceTokens[s]) && weight > largest) [best, largest] = [t, weight];
    }
  }
  return best;
}

export function usualOverview(trace: Trace): OverviewView {
  const [, layer, head] = trace.opensWith;
  return { layer, head, step: clearestStep(trace), module: "cross", pinned: null, tinted: true };
}

export function fittingOverview(view: OverviewView, trace: Trace): OverviewView {
  const sizes = ATTENTION_MODULES.map((module) => sizesOf(trace, module));
  const [, , queries, keys] = sizesOf(trace, view.module);
  return {
    ...view,
    layer: within(view.layer, Math.max(...sizes.map(([layers]) => layers))),
    head: within(view.head, Math.max(...sizes.map(([, heads]) => heads))),
    step: within(view.step, trace.targetTokens.length),
    pinned: view.pinned && [within(view.pinned[0], queries), within(view.pinned[1], keys)],
  };
}

export function usualHeads({ config, opensWith }: Trace): HeadsView {
  const [, layer, head] = opensWith;
  return {
    module: "cross",
    layer,
    head,
    heads: placesTo(Math.max(config.n_heads, config.decoder.n_heads)),
    token: null,
    threshold: 0,
    only: null,
    score: "previous",
    order: "place",
    is_open: true,
    pinned: null,
    words: false,
    nosinks: false,
  };
}

export function fittingHeads(view: HeadsView, trace: Trace): HeadsView {
  const [layers, own, queries, keys] = sizesOf(trace, view.module);
  const most = Math.max(...ATTENTION_MODULES.map((module) => sizesOf(trace, module)[1]));
  const lit = [...new Set(view.heads)].filter((head) => head < most).sort((one, other) => one - other);
  const [side, place] = view.token ?? [];
  return {
    ...view,
    layer: within(view.layer, layers),
    head: within(view.head, own),
    pinned: view.pinned && [within(view.pinned[0], queries), within(view.pinned[1], keys)],
    heads: (lit[0] ?? own) < own ? lit : placesTo(most),
    token: side === undefined ? null : [side, Math.min(place as number, (side === "query" ? queries : keys) - 1)],
  };
}

// The same for the view of one query: the first query, where none is chosen.
export function fittingQuery(view: HeadsView, trace: Trace): HeadsView {
  const fitted = fittingHeads(view, trace);
  return fitted.token?.[0] === "query" ? fitted : { ...fitted, token: ["query", 0] };
}

export function usualStages(head: number): StagesView {
  return { stage: SOFTMAX_STAGE, choices: [head], pinned: null };
}

// `heads`: how many there are to choose from; `shape`: of each matrix of a sheet.
export function fittingStages(
  view: StagesView,
  heads: number,
  shapes: readonly (readonly number[])[],
  stages: number,
): StagesView {
  const [matrix, row, column] = view.pinned ?? [-1, 0, 0];
  const [rows, columns] = shapes[matrix] ?? [0, 0];
  return {
    stage: within(view.stage, stages),
    choices: [Math.min(view.choices[0] ?? 0, heads - 1)],
    pinned: row < rows && column < columns ? view.pinned : null,
  };
}

export function usualTree(tree: SearchTree, [, layer, head]: Trace["opensWith"]): TreeView {
  return {
    layer,
    head,
    step: tree.best[0],
    node: tree.best,
    rerank: tree.options.lengthPenalty,
    module: "cross",
    pinned: null,
    zoom: null,
    result: null,
    asked: null,
  };
}

export function fittingTree(view: TreeView, tree: SearchTree, { config }: Pick<Trace, "config">): TreeView {
  return {
    ...view,
    layer: within(view.layer, config.n_decoder_layers),
    head: within(view.head, config.decoder.n_heads),
    step: within(view.step, tree.levels.length),
    node: tree.has(view.node) ? view.node : tree.best,
    zoom: view.zoom && within(view.zoom, ZOOMS),
    asked: null,
  };
}

// Layers, heads, queries and keys of a module.
function sizesOf(trace: Trace, module: AttentionModule): [number, number, number, number] {
  const queries = (module === "encoder_self" ? trace.sourceTokens : trace.targetTokens).length;
  const keys = (module === "decoder_self" ? trace.targetTokens : trace.sourceTokens).length;
  return [layersOf(trace.config, module), stackOf(trace.config, module).n_heads, queries, keys];
}

function placesTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

function within(index: number, size: number): number {
  return Math.max(0, Math.min(index, size - 1));
}
