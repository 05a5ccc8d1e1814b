// The rules of docs/decoding.md, on models whose next token depends on the last one alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { TransformerConfig } from "../../src/model/config.ts";
import { beamSearch, bestOf, type DecodingStep, GREEDY, type SearchOptions } from "../../src/model/search.ts";
import { type Ids, zeros } from "../../src/model/tensor.ts";
import type { Transformer } from "../../src/model/transformer.ts";

const [PAD, START, END, A, B, C] = [0, 1, 2, 3, 4, 5];
const V = 6;
const config = new TransformerConfig({ source_vocab_size: V, target_vocab_size: V, max_len: 6 });

// By the last token: the probability of each next one. What is not named is impossible.
type Table = Readonly<Record<number, Readonly<Record<number, number>>>>;

function modelOf(table: Table): Transformer {
  const model = {
    config,
    encode: () => zeros(1, 1, 1),
    newCache: () => ({ reorder: () => {} }),
    decode({ shape: [rows], values }: Ids) {
      const logits = zeros(rows, 1, V);
      for (let row = 0; row < rows; row++)
        for (let id = 0; id < V; id++) logits.values[row * V + id] = Math.log(table[values[row]]?.[id] ?? 0);
      return logits;
    },
  };
  return model as unknown as Transformer;
}

const search = (table: Table, options: Partial<SearchOptions> = {}): DecodingStep[] => [
  ...beamSearch(modelOf(table), [A, END], options),
];
const last = (steps: DecodingStep[]) => steps.at(-1) as DecodingStep;
const outputs = (step: DecodingStep) => step.finished.map(({ ids }) => ids.join(""));

// "a" begins most likely, but what follows "b" is certain.
const TABLE: Table = {
  [START]: { [A]: 0.6, [B]: 0.4 },
  [A]: { [END]: 0.5, [C]: 0.5 },
  [B]: { [END]: 1 },
  [C]: { [END]: 1 },
};

test("greedy takes the most likely token, of equal ones that with the lower id", () => {
  const steps = search(TABLE, GREEDY);
  assert.deepEqual(bestOf(last(steps)).ids, [A, END]);
  assert.equal(last(steps).stopReason, "beam_finished");
});

test("a beam finds what greedy search misses", () => {
  const steps = search(TABLE, { beamSize: 2, normalization: "sum" });
  assert.deepEqual(outputs(last(steps)), [`${B}${END}`, `${A}${END}`]);
  assert.ok(Math.abs(bestOf(last(steps)).score - Math.log(0.4)) < 1e-6);
});

test("candidates say why they live, finish or are pruned, and by how much", () => {
  const table = { [START]: { [A]: 0.4, [B]: 0.3, [C]: 0.2, [END]: 0.1 } };
  const [{ candidates }] = search(table, { beamSize: 2, maxLen: 1 });
  assert.deepEqual(
    candidates.map(({ tokenId, status, reason }) => [tokenId, status, reason]),
    [
      [A, "live", "among_the_best"],
      [B, "live", "among_the_best"],
      [C, "pruned", "beam_full"],
      [END, "pruned", "end_too_low"],
    ],
  );
  assert.ok(Math.abs(candidates[2].margin - Math.log(0.3 / 0.2)) < 1e-6);
  assert.ok(Math.abs(candidates[3].margin - Math.log(0.3 / 0.1)) < 1e-6);
});

test("a forced end costs nothing, and comes at the longest length", () => {
  const steps = search(
    { [START]: { [A]: 1 }, [A]: { [A]: 0.5, [B]: 0.5 } },
    { beamSize: 1, maxLen: 3, forcedEnd: true },
  );
  const { finished, stopReason, candidates } = last(steps);
  assert.deepEqual(finished[0].ids, [A, A, END]);
  assert.deepEqual([finished[0].logProbs[2], candidates[0].reason, stopReason], [0, "forced", "max_len"]);
});

test("without it the longest output stays live", () => {
  const { live, finished, stopReason } = last(search({ [START]: { [A]: 1 }, [A]: { [A]: 1 } }, { beamSize: 1 }));
  assert.deepEqual([live[0].ids.length, finished.length, stopReason], [6, 0, "max_len"]);
});

test("a prefix is taken whatever its probability, and bans hold after it", () => {
  const steps = search(TABLE, { ...GREEDY, prefixIds: [B], bannedIds: [B] });
  assert.deepEqual([steps[0].candidates[0].reason, bestOf(last(steps)).ids], ["forced", [B, END]]);
  assert.deepEqual(bestOf(last(search(TABLE, { ...GREEDY, bannedIds: [END, A], maxLen: 1 }))).ids.slice(0, 1), [B]);
});

test("padding and the start token are not written unless they are allowed", () => {
  const table = { [START]: { [PAD]: 0.5, [START]: 0.4, [A]: 0.1 }, [A]: { [END]: 1 } };
  assert.deepEqual(bestOf(last(search(table, GREEDY))).ids, [A, END]);
  assert.equal(bestOf(last(search(table, { ...GREEDY, bannedIds: [], maxLen: 1 }))).ids[0], PAD);
});

test("the length penalty ranks what has finished", () => {
  const table = { [START]: { [A]: 0.5, [END]: 0.5 }, [A]: { [B]: 1 }, [B]: { [END]: 0.9, [A]: 0.1 } };
  const best = (options: Partial<SearchOptions>) => bestOf(last(search(table, { beamSize: 2, ...options }))).ids.length;
  assert.equal(best({ normalization: "sum" }), 1);
  assert.equal(best({ normalization: "mean" }), 3);
  assert.equal(best({ normalization: "power", lengthPenalty: 1 }), 3);
  assert.equal(best({ normalization: "gnmt", lengthPenalty: -1 }), 1);
});

test("stop rules: the first k, until no live one is better, until none ever could be", () => {
  const table = { [START]: { [END]: 0.5, [A]: 0.5 }, [A]: { [A]: 0.6, [END]: 0.4 } };
  const steps = (stop: SearchOptions["stop"]) => {
    const found = search(table, { beamSize: 2, normalization: "power", lengthPenalty: 2, stop });
    return [found.length, last(found).stopReason];
  };
  assert.deepEqual(steps("first"), [2, "beam_finished"]);
  assert.deepEqual(steps("certain"), [6, "max_len"]);
  assert.equal(steps("likely")[1], "max_len");
  const short = search(table, { beamSize: 2, normalization: "sum", stop: "likely" });
  assert.deepEqual([short.length, last(short).stopReason], [3, "no_better_now"]);
});

for (const [name, options, message] of [
  ["no beam", { beamSize: 0 }, /from 1 to 4096 wide; it was 0/],
  ["a penalty of NaN", { lengthPenalty: Number.NaN }, /from -40 to 40/],
  ["a normalisation", { normalization: "max" as never }, /normalization must be one of gnmt, power, mean, sum/],
  ["too long an output", { maxLen: 7 }, /from 1 to the model's 6; it was 7/],
  ["the end in a prefix", { prefixIds: [END] }, /prefix must not contain/],
  ["too long a prefix", { prefixIds: [A], maxLen: 1 }, /shorter than the longest output \(1\)/],
  ["all banned", { bannedIds: [0, 1, 2, 3, 4, 5] }, /All 6 tokens are banned/],
  ["an id beyond", { bannedIds: [6] }, /from 0 to 5; 6 is not/],
  ["a forced end that is banned", { bannedIds: [END], forcedEnd: true }, /cannot be forced/],
  ["a dead end", { bannedIds: [END, C], normalization: "sum" }, /No token can follow at step 2/],
] as const) {
  test(`a search is refused: ${name}`, () => {
    assert.throws(() => search(TABLE, options), { name: "SentenceError", message });
  });
}

test("a source that is none is refused", () => {
  const refused = (ids: number[], message: RegExp) =>
    assert.throws(() => beamSearch(modelOf(TABLE), ids).next(), { name: "SentenceError", message });
  refused([], /1 to 6 tokens, the end token included; it has 0/);
  refused([PAD, PAD], /padding only/);
  refused([9], /from 0 to 5; 9 is not/);
});
