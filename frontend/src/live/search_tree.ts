// A search as a tree of everything that it considered: views/decoding/tree.py and build_search_tree.py.

import type { Place } from "../decoding/search.ts";
import type { BeamOptions } from "../model/ranking.ts";
import { bestOf, type Candidate, type DecodingStep } from "../model/search.ts";

export type Step = Omit<DecodingStep, "logProbs">;

// One candidate; its parent is a rank in the level before, -1 at the start.
export type Node = Candidate;

export class SearchTree {
  readonly options: BeamOptions;
  readonly levels: readonly (readonly Node[])[]; // the candidates of each step, the best first
  readonly steps: readonly Step[];
  readonly #endId: number;

  // `steps`: of a whole beam search, at least one.
  constructor(options: BeamOptions, steps: readonly Step[], endId: number) {
    this.options = options;
    this.steps = steps;
    this.#endId = endId;
    const levels: (readonly Node[])[] = [];
    for (const { candidates } of steps) {
      const live = levels.at(-1)?.flatMap(({ status }, rank) => (status === "live" ? [rank] : [])) ?? [-1];
      levels.push(candidates.map((one) => ({ ...one, parent: live[one.parent] })));
    }
    this.levels = levels;
  }

  has([level, rank]: Place): boolean {
    return this.levels[level]?.[rank] !== undefined;
  }

  // The output that ends in this node.
  ids([level, rank]: Place): number[] {
    const ids: number[] = [];
    for (let t = level, r = rank; t >= 0; t--) {
      const node = this.levels[t][r];
      ids.unshift(node.tokenId);
      r = node.parent;
    }
    return ids;
  }

  // The rank of each of `ids` in its level, as far as the search considered this output.
  follow(ids: readonly number[]): number[] {
    const ranks: number[] = [];
    for (const [t, id] of ids.entries()) {
      const parent = ranks.at(-1) ?? -1;
      const found = this.levels[t]?.findIndex((node) => node.parent === parent && node.tokenId === id) ?? -1;
      if (found < 0) break;
      ranks.push(found);
    }
    return ranks;
  }

  // The node in which the output ends: the best finished hypothesis, or the best live one where none has finished.
  get best(): Place {
    const { ids } = bestOf(this.steps[this.steps.length - 1] as DecodingStep);
    return [ids.length - 1, this.follow(ids)[ids.length - 1]];
  }

  // The nodes of all hypotheses that finished, in the order in which they did.
  get finished(): Place[] {
    return this.levels.flatMap((level, t) =>
      level.flatMap(({ status }, rank) => (status === "finished" ? [[t, rank] as const] : [])),
    );
  }

  // The same, and those that are live at the end.
  get ended(): Place[] {
    const last = this.levels.length - 1;
    const live = this.levels[last].flatMap(({ status }, rank) => (status === "live" ? [[last, rank] as const] : []));
    return [...this.finished, ...live];
  }

  // The path of greedy search, if this search followed it to its end; null where only a greedy search can tell. The
  // candidates come with the best first: the first child of a hypothesis is its most probable one.
  greedyIds(): number[] | null {
    let rank = -1;
    for (const [t, level] of this.levels.entries()) {
      rank = level.findIndex(({ parent }) => parent === rank);
      if (rank < 0) return null;
      const isLast = t + 1 === this.levels.length && this.steps[t].stopReason === "max_len";
      if (level[rank].tokenId === this.#endId || isLast) return this.ids([t, rank]);
      if (level[rank].status !== "live") return null;
    }
    return null;
  }
}
