// @ts-nocheck
// Reads what decoding_view.py and decoding_pack.py write, and answers questions about the tree.

import { plain } from "../kit/colour.ts";
import { reader } from "../kit/reader.ts";
import { decodeTrace } from "../trace/payload.ts";

const FIELDS = ["parent", "token", "logProb", "sum", "score", "status", "reason", "margin", "probability"];

export function decodeDecoding(bytes) {
  const read = reader(bytes);
  const request = read.readJson();
  const search = new Search(read.readJson());
  const { node } = read.readJson();
  return { request, search, trace: decodeTrace(read), node };
}

// A search. Nodes are {level, rank, parent, token, …}; `parent` is a rank in the level before, -1 at the start.
class Search {
  constructor(content) {
    Object.assign(this, content);
    this.levels = content.levels.map((nodes, level) =>
      nodes.map((values, rank) => ({ level, rank, ...Object.fromEntries(FIELDS.map((name, n) => [name, values[n]])) })),
    );
    content.greedy.forEach((rank, level) => (this.levels[level][rank].isGreedy = true));
  }

  at([level, rank]) {
    return this.levels[level][rank];
  }

  parentOf({ level, parent }) {
    return parent < 0 ? null : this.levels[level - 1][parent];
  }

  childrenOf({ level, rank }) {
    return (this.levels[level + 1] ?? []).filter((node) => node.parent === rank);
  }

  // From the first level to this node.
  pathTo(node) {
    const path = [];
    for (let at = node; at; at = this.parentOf(at)) path.unshift(at);
    return path;
  }

  isBest({ level, rank }) {
    return level === this.best[0] && rank === this.best[1];
  }
}

// The causal mask of the trace as a matrix of its own: 1 where a row may attend, hatched elsewhere.
export function causalMask(trace, isOnDark) {
  const { queries, keys, predicted, maskIn } = trace.modules.find(({ name }) => name === "decoder_self");
  const mask = maskIn(0);
  return { queries, keys, predicted, values: new Float32Array(mask.length).fill(1), mask, scale: plain(isOnDark) };
}
