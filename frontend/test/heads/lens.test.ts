// The logit lens: each place its layer's token and colour; of the chosen one, its likeliest tokens and the rest.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type LensContent, LensPanel, type LensView, nextTokens } from "../../src/heads/lens.ts";
import { ViewState } from "../../src/kit/view_state.ts";
import { FakeElement, labels } from "../dom.ts";
import { tensor } from "../maps/sent.ts";

const NAMES = ["a", "b", "c", "<b>"];
// Two layers, three positions, two tokens each; what is written is b, <b>, c.
const TOKENS = [0, 1, 2, 1, 2, 3, 1, 0, 3, 2, 2, 0];
const SHARES = [0.5, 0.25, 0.7, 0.1, 0.9, 0.05, 0.6, 0.3, 0.8, 0.1, 1, 0];
const TAKEN = [1, 3, 2];
const TAKEN_SHARES = [0.25, 0.02, 0.9, 0.6, 0.8, 1];
const RANKS = [2, 4, 1, 1, 1, 1];
const CONTENT: LensContent = {
  layers: ["embedding", "layer 1: output"],
  read: ["<s>", "b", "<b>"],
  written: ["b", "<b>", "c"],
  names: NAMES,
  tokens: tensor(Int32Array.from(TOKENS), 2, 3, 2),
  logProbs: tensor(Float32Array.from(SHARES, Math.log), 2, 3, 2),
  taken: tensor(Int32Array.from(TAKEN), 3),
  takenLogProbs: tensor(Float32Array.from(TAKEN_SHARES, Math.log), 2, 3),
  ranks: tensor(Int32Array.from(RANKS), 2, 3),
  entropies: tensor(Float32Array.from([1, 2, 3, 4, 5, 6]), 2, 3),
  divergences: tensor(Float32Array.from([1.5, 2.5, 3.5, 0, 0, -1e-9]), 2, 3),
  vocabulary: 9,
};
const SAID = {
  cell: "{layer} {position} {token} {probability} {written} {rank} {written_probability}",
  place: "{layer}, {position}",
  said: "{token} {rank} {vocabulary} {entropy} {divergence}",
  rest: "{count} others",
  taken: "written",
};

function opened(spot: LensView["spot"]) {
  const state = new ViewState<LensView>(new Map());
  state.adopt({ key: "k", revision: "r", view: { spot } }, () => {});
  const parent = new FakeElement("div");
  const panel = new LensPanel(parent as unknown as HTMLElement, state);
  panel.show(CONTENT, labels(SAID));
  return {
    state,
    said: () => parent.byId("ll-said").textContent,
    at: (place: string) => parent.byId(`ll-${place}`),
  };
}

test("each place says its layer's likeliest token, and whether that is what is written", () => {
  const { at } = opened([0, 0]);
  CONTENT.layers.forEach((layer, n) => {
    CONTENT.read.forEach((_, position) => {
      const place = 3 * n + position;
      const one = at(`${n}-${position + 1}`);
      const token = NAMES[TOKENS[2 * place]];
      assert.equal(one.textContent, token);
      assert.equal(one.className, TOKENS[2 * place] === TAKEN[position] ? "right" : "");
      const said = [SHARES[2 * place], TAKEN_SHARES[place]].map((share) => share.toFixed(4));
      const words = `${layer} ${position + 1} ${token} ${said[0]} ${CONTENT.written[position]} ${RANKS[place]} ${said[1]}`;
      assert.equal(one.getAttribute("aria-label"), words);
    });
  });
});

test("a click chooses a place, and what stands beside the grid is of it", () => {
  const { state, said, at } = opened([0, 1]);
  assert.equal(said(), "<b> 4 9 2.0000 2.5000");
  at("1-3").onclick?.({});
  assert.deepEqual(state.view.spot, [1, 2]);
  assert.equal(said(), "c 1 9 6.0000 0.0000");
  assert.equal(at("1-3").getAttribute("aria-pressed"), "true");
  assert.equal(at("0-2").getAttribute("aria-pressed"), "false");
  state.wait();
});

test("what is written is listed once, with its rank, and all others are one sum", () => {
  const [among, beyond] = [nextTokens(CONTENT, 0, 0), nextTokens(CONTENT, 0, 1)];
  assert.deepEqual(among.tokens, [["a", "b"]]);
  assert.deepEqual([...among.ranks.values], [1, 2]);
  assert.equal(among.taken.values[0], 1);
  assert.ok(Math.abs(among.rest.values[0] - 0.25) < 1e-6);
  assert.deepEqual(beyond.tokens, [["c", "b", "<b>"]]);
  assert.deepEqual([...beyond.ranks.values], [1, 2, 4]);
  assert.equal(beyond.taken.values[0], 2);
  assert.ok(Math.abs(beyond.rest.values[0] - 0.18) < 1e-6);
  assert.equal(beyond.vocabulary, 9);
});
