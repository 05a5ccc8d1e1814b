// The grid of heads: each button its own head's number and colour, and a click takes it out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { KnockOutPanel, type KnockOutView } from "../../src/heads/knock_out.ts";
import { ViewState } from "../../src/kit/view_state.ts";
import { assertColour, signedColour } from "../colours.ts";
import { FakeElement, labels } from "../dom.ts";
import { tensor } from "../maps/sent.ts";

const ROWS = [
  { label: "decoder 1", heads: ["decoder 1.1", "decoder 1.2", "decoder 1.3"] },
  { label: "cross 1", heads: ["cross 1.1", "cross 1.2", "cross 1.3"] },
];
const SAID = {
  in_falls: "in falls {head} {number}",
  in_rises: "in rises {head} {number}",
  out_falls: "out falls {head} {number}",
  out_rises: "out rises {head} {number}",
  head_n: "head {head}",
};
const FALLS = [0.5, -0.25, 0, 1.5, 0.125, -2];

function opened(off: number[], rows = ROWS) {
  const state = new ViewState<KnockOutView>(new Map());
  const told: KnockOutView[] = [];
  state.adopt({ key: "k", revision: "r", view: { off } }, (view) => told.push(view));
  const parent = new FakeElement("div");
  const panel = new KnockOutPanel(parent as unknown as HTMLElement, state);
  const impacts = { rows, falls: tensor(Float64Array.from(FALLS), FALLS.length) };
  panel.show(impacts, labels(SAID));
  return { state, button: (name: string) => parent.byId(`ko-${name.replace(" ", "-")}`) };
}

test("each head has its own fall, on one scale for all", () => {
  const { button } = opened([4]);
  ROWS.flatMap(({ heads }) => heads).forEach((name, n) => {
    const one = button(name);
    assert.equal(Number(one.textContent.replace("−", "-")), FALLS[n]);
    assertColour(one.style["background-color"] as string, signedColour(FALLS[n], 2), name);
    assert.equal(one.getAttribute("aria-pressed"), String(n === 4));
    const said = String(one.getAttribute("aria-label")).split(" ");
    assert.equal(said.slice(0, -1).join(" "), `${n === 4 ? "out" : "in"} ${FALLS[n] < 0 ? "rises" : "falls"} ${name}`);
    assert.equal(Number(said.at(-1)), Math.abs(FALLS[n]));
  });
});

test("rows may have different numbers of heads", () => {
  const rows = [
    { label: "encoder 1", heads: ["encoder 1.1", "encoder 1.2", "encoder 1.3", "encoder 1.4"] },
    { label: "cross 1", heads: ["cross 1.1", "cross 1.2"] },
  ];
  const { state, button } = opened([5], rows);
  rows
    .flatMap(({ heads }) => heads)
    .forEach((name, n) => {
      assert.equal(Number(button(name).textContent.replace("−", "-")), FALLS[n], name);
      assert.equal(button(name).getAttribute("aria-pressed"), String(n === 5), name);
    });
  button("cross 1.1").onclick?.({});
  assert.deepEqual(state.view.off, [4, 5]);
  state.wait();
});

test("a click takes a head out, another one puts it back", () => {
  const { state, button } = opened([4]);
  button("decoder 1.2").onclick?.({});
  assert.deepEqual(state.view.off, [1, 4]);
  assert.equal(button("decoder 1.2").getAttribute("aria-pressed"), "true");
  button("cross 1.2").onclick?.({});
  assert.deepEqual(state.view.off, [1]);
  assert.equal(button("cross 1.2").getAttribute("aria-pressed"), "false");
  state.wait();
});
