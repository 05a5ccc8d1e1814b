// A search as decoding/pack.py sends it, and questions about its tree.

import type { Tensor } from "../kit/codec.ts";

export type Place = readonly [level: number, rank: number]; // of a node, from 0

type Numbers = Tensor<Float64Array>;
type Integers = Tensor<Int32Array>;

interface Names {
  readonly names: readonly string[];
  readonly codes: Tensor<Uint8Array>; // indices into the names
}

export interface SearchContent {
  readonly method: "beam" | "greedy" | "sample";
  readonly beam: number;
  readonly normalization: string;
  readonly alpha: number;
  readonly counts: Integers; // how many candidates each step has
  // The candidates of all steps, step after step.
  readonly nodes: {
    readonly parents: Integers;
    readonly tokens: readonly string[];
    readonly logProbs: Numbers;
    readonly sums: Numbers;
    readonly scores: Numbers;
    readonly margins: Numbers;
    readonly probabilities: Numbers; // NaN where there is none
    readonly statuses: Names;
    readonly reasons: Names;
  };
  // One number for each step of sampling; empty for other methods.
  readonly draws: {
    readonly draw: Numbers; // NaN where nothing was drawn
    readonly kept: Integers;
    readonly mass: Numbers;
    readonly low: Numbers;
    readonly high: Numbers;
  };
  readonly best: Place;
  readonly end: string; // the end token
  readonly greedy: readonly number[]; // the rank at each step
  readonly ended: readonly Ended[];
  // One ranking for each α, one after the other; `counts`: how many nodes and scores each has.
  readonly rankings: {
    readonly alphas: Numbers;
    readonly counts: Integers;
    readonly nodes: Integers; // (N, 2)
    readonly scores: Numbers;
    readonly steps: Integers;
    readonly needsSearch: Tensor<Uint8Array>;
  } | null;
  readonly cache: Cache;
}

// A hypothesis that finished, or is live at the end.
export interface Ended {
  readonly node: Place;
  readonly text: string;
}

export interface Cache {
  readonly layers: number;
  readonly heads: number;
  readonly width: number; // of a head
  readonly source: number; // tokens
  // At each step: the multiply-adds with the cache and without it, and how many numbers the cache holds.
  readonly with: Numbers;
  readonly without: Numbers;
  readonly size: Numbers;
}

export interface Candidate {
  readonly level: number;
  readonly rank: number;
  readonly parent: number; // its rank in the level before, -1 at the start
  readonly token: string;
  readonly logProb: number;
  readonly sum: number;
  readonly score: number;
  readonly margin: number;
  readonly probability: number | null; // of being drawn
  readonly status: string;
  readonly reason: string;
  readonly isGreedy: boolean;
}

// How a step of sampling chose.
export interface Draw {
  readonly draw: number | null;
  readonly kept: number;
  readonly mass: number;
  readonly low: number;
  readonly high: number;
}

// What has finished, ranked by one α.
export interface Ranking {
  readonly alpha: number;
  readonly nodes: readonly Place[];
  readonly scores: readonly number[];
  readonly steps: number; // that the search would have taken
  readonly needsSearch: boolean;
}

export class Search {
  readonly content: SearchContent;
  readonly levels: readonly (readonly Candidate[])[];
  readonly greedy: readonly Candidate[];
  readonly rankings: readonly Ranking[] | null;

  constructor(content: SearchContent) {
    this.content = content;
    this.levels = levelsOf(content);
    this.greedy = content.greedy.map((rank, level) => this.levels[level][rank]);
    this.rankings = content.rankings && rankingsOf(content.rankings);
  }

  get steps(): number {
    return this.levels.length;
  }

  at([level, rank]: Place): Candidate {
    return this.levels[level][rank];
  }

  parentOf({ level, parent }: Candidate): Candidate | null {
    return parent < 0 ? null : this.levels[level - 1][parent];
  }

  childrenOf({ level, rank }: Candidate): Candidate[] {
    return (this.levels[level + 1] ?? []).filter((node) => node.parent === rank);
  }

  // From the first level to this node.
  pathTo(node: Candidate): Candidate[] {
    const path = [];
    for (let at: Candidate | null = node; at; at = this.parentOf(at)) path.unshift(at);
    return path;
  }

  isBest({ level, rank }: Candidate): boolean {
    return isSame([level, rank], this.content.best);
  }

  // How a level was drawn; null where it was not.
  drawOf(level: number): Draw | null {
    const { draw, kept, mass, low, high } = this.content.draws;
    if (level >= draw.values.length) return null;
    return {
      draw: known(draw.values[level]),
      kept: kept.values[level],
      mass: mass.values[level],
      low: low.values[level],
      high: high.values[level],
    };
  }
}

export function isSame(one: Place, other: Place): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

function levelsOf({ counts, nodes, greedy }: SearchContent): Candidate[][] {
  const nameOf = ({ names, codes }: Names, n: number) => names[codes.values[n]];
  return inGroups(counts, (n, rank, level) => ({
    level,
    rank,
    parent: nodes.parents.values[n],
    token: nodes.tokens[n],
    logProb: nodes.logProbs.values[n],
    sum: nodes.sums.values[n],
    score: nodes.scores.values[n],
    margin: nodes.margins.values[n],
    probability: known(nodes.probabilities.values[n]),
    status: nameOf(nodes.statuses, n),
    reason: nameOf(nodes.reasons, n),
    isGreedy: greedy[level] === rank,
  }));
}

function rankingsOf({
  alphas,
  counts,
  nodes,
  scores,
  steps,
  needsSearch,
}: NonNullable<SearchContent["rankings"]>): Ranking[] {
  const places = inGroups(counts, (n): Place => [nodes.values[2 * n], nodes.values[2 * n + 1]]);
  const values = inGroups(counts, (n) => scores.values[n]);
  return Array.from(alphas.values, (alpha, n) => ({
    alpha,
    nodes: places[n],
    scores: values[n],
    steps: steps.values[n],
    needsSearch: needsSearch.values[n] === 1,
  }));
}

// Splits flat columns into groups of the given sizes. `make` gets an item's index in the columns, its index in its
// group, and the index of the group.
function inGroups<Thing>(
  { values: counts }: Integers,
  make: (n: number, inGroup: number, group: number) => Thing,
): Thing[][] {
  let n = 0;
  return Array.from(counts, (count, group) => Array.from({ length: count }, (_, inGroup) => make(n++, inGroup, group)));
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
