// A search read from its columns: levels, parents, reasons, what is ranked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ranked } from "../../src/decoding/n_best.ts";
import { Search } from "../../src/decoding/search.ts";
import { numberOf } from "../../src/decoding/tree.ts";
import { SEARCH } from "./content.ts";

const search = new Search(SEARCH);
const tokens = (nodes: readonly { token: string }[]) => nodes.map(({ token }) => token);

test("each candidate is in its step, in its rank, with its own numbers", () => {
  assert.equal(search.steps, 3);
  assert.deepEqual(search.levels.map(tokens), [
    ["a", "c", "e"],
    ["b", "</s>", "f"],
    ["</s>", "d"],
  ]);
  search.levels.forEach((level, t) => {
    level.forEach((node, r) => {
      assert.deepEqual([node.level, node.rank], [t, r]);
      assert.equal(search.at([t, r]), node);
    });
  });
  const { parent, logProb, sum, score, margin, probability, status, reason } = search.at([1, 2]);
  assert.deepEqual(
    [parent, logProb, sum, score, margin, probability, status, reason],
    [0, -2, -2.5, -2.3, 1.75, null, "pruned", "beam_full"],
  );
  assert.equal(search.at([1, 1]).status, "finished");
  assert.equal(search.at([1, 0]).reason, "among_the_best");
});

test("a candidate's sum is its parent's and its own log p", () => {
  for (const node of search.levels.flat()) {
    assert.equal(node.sum, (search.parentOf(node)?.sum ?? 0) + node.logProb, node.token);
  }
});

test("paths lead from the first step to a node, and children back to their parent", () => {
  assert.deepEqual(tokens(search.pathTo(search.at([2, 1]))), ["a", "b", "d"]);
  assert.deepEqual(tokens(search.pathTo(search.at([1, 1]))), ["c", "</s>"]);
  assert.equal(search.parentOf(search.at([0, 2])), null);
  for (const node of search.levels.flat()) {
    for (const child of search.childrenOf(node)) assert.equal(search.parentOf(child), node);
  }
  assert.deepEqual(tokens(search.childrenOf(search.at([0, 0]))), ["b", "f"]);
});

test("the output and greedy's path are marked, nothing else", () => {
  assert.deepEqual(
    search.levels.flat().filter((node) => search.isBest(node)),
    [search.at([2, 0])],
  );
  assert.deepEqual(
    search.levels.flat().filter((node) => node.isGreedy),
    [search.at([0, 0]), search.at([1, 0]), search.at([2, 0])],
  );
  assert.deepEqual(
    search.greedy.map(({ level }) => level),
    [0, 1, 2],
  );
});

test("the nearest α ranks", () => {
  const rows = (alpha: number) => ranked(search, alpha).map(({ ended, score }) => [ended.text, score]);
  assert.deepEqual(rows(0), [["c", -1.125]]);
  assert.deepEqual(rows(0.5), [
    ["a b", -0.7],
    ["c", -1.05],
  ]);
  assert.deepEqual(rows(9), [
    ["a b", -0.4],
    ["c", -0.9],
  ]);
  assert.deepEqual(
    search.rankings?.map(({ alpha, steps, needsSearch }) => [alpha, steps, needsSearch]),
    [
      [0, 2, false],
      [0.6, 3, false],
      [2, 3, true],
    ],
  );
});

test("where α plays no part the search's own scores rank, as many as the beam is wide, and only what has finished", () => {
  const plain = new Search({ ...SEARCH, rankings: null });
  assert.deepEqual(
    ranked(plain, 0.6).map(({ ended, score }) => [ended.text, score]),
    [
      ["a b", -0.7],
      ["c", -1.05],
    ],
  );
  assert.equal(ranked(new Search({ ...SEARCH, rankings: null, beam: 1 }), 0.6).length, 1);
});

test("a sampling step knows its draw; one that was forced has none", () => {
  const columns = (...values: number[]) => ({ shape: [values.length], values: Float64Array.from(values) });
  const draws = {
    draw: columns(Number.NaN, 0.375),
    kept: { shape: [2], values: Int32Array.of(1, 7) },
    mass: columns(0, 0.25),
    low: columns(0, 0.3),
    high: columns(1, 0.4),
  };
  const sampled = new Search({ ...SEARCH, draws });
  assert.deepEqual(sampled.drawOf(0), { draw: null, kept: 1, mass: 0, low: 0, high: 1 });
  assert.deepEqual(sampled.drawOf(1), { draw: 0.375, kept: 7, mass: 0.25, low: 0.3, high: 0.4 });
  assert.equal(search.drawOf(0), null);
});

test("a node says what it has room for: its sum, what it lacks, what it scores, how likely it was", () => {
  assert.equal(numberOf(search.at([0, 0])), "−0.50");
  assert.equal(numberOf(search.at([1, 2])), "−2.50 (−1.75)");
  assert.equal(numberOf(search.at([2, 0])), "−0.81 → −0.70");
  assert.equal(numberOf({ ...search.at([0, 0]), probability: 0.125 }), "p 0.13");
});

test("what was drawn though it was unlikely does not look impossible, nor a likely token certain", () => {
  const said = (probability: number) => numberOf({ ...search.at([0, 0]), probability });
  assert.deepEqual([0.0032, 0.00004, 0.9985, 1, 0].map(said), [
    "p 0.0032",
    "p 4.00e−5",
    "p 0.9985",
    "p 1.00",
    "p 0.00",
  ]);
});
