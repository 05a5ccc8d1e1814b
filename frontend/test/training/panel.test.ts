// The component of a film: slider, curves and heads are of one snapshot and one sentence.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ViewState } from "../../src/kit/view_state.ts";
import type { FilmView, PackedFilm } from "../../src/training/film.ts";
import { FilmPanel } from "../../src/training/panel.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { FakeCanvas, labels, parent } from "../dom.ts";
import { cross, packedModule, STEPS, tensor, weight } from "../maps/sent.ts";

const HEADS = 2;
const SHOTS = [0, 10, 40];
const of = (shot: number, sentence: number) => (layer: number, head: number, i: number, j: number) =>
  weight(layer + 5 * shot + 3 * sentence, head, i, j);

function filmed(sentence: number) {
  const shots = SHOTS.map((_, shot) => packedModule(cross, HEADS, of(shot, sentence)));
  const codes = shots.flatMap((one) => [...one.codes.values]);
  const module = { ...shots[0], codes: tensor(Uint16Array.from(codes), SHOTS.length, codes.length / SHOTS.length) };
  return { source: `sentence ${sentence}`, heads: HEADS, modules: [module] };
}

const FILM: PackedFilm = {
  steps: 40,
  count: 7,
  unit: STEPS,
  curve: { steps: tensor(Int32Array.of(20, 40)), losses: tensor(Float64Array.of(2, 0.5)) },
  snapshots: { steps: tensor(Int32Array.from(SHOTS)), numbers: { valid_loss: tensor(Float64Array.of(4, 3, 1)) } },
  sentences: [filmed(0), filmed(1)],
};

test("wherever the film is, heads, mark and words are of that snapshot and sentence", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const state = new ViewState<FilmView>(new Map());
  const { element, fake } = parent();
  const first: FilmView = {
    module: "cross",
    layer: 0,
    head: 0,
    only: null,
    is_open: false,
    pinned: null,
    at: null,
    sentence: 0,
  };
  state.adopt({ key: "k", revision: "1", view: first }, () => {});
  const panel = new FilmPanel(element, state);
  fake.children[0].clientWidth = 900;
  panel.show(FILM, labels({ at: "at {step}", valid_loss: "loss {value}" }), true);
  const check = (shot: number, sentence: number) => {
    const where = `${[shot, sentence]}`;
    const losses = ["4.000", "3.000", "1.000"];
    assert.equal(fake.byId("fv-facts").textContent, `at ${SHOTS[shot]} · loss ${losses[shot]}`, where);
    assert.equal(fake.byId("fv-slider").value, String(shot));
    assert.equal(fake.byId(`fv-sentence-${sentence + 1}`).getAttribute("aria-pressed"), "true");
    const canvas = fake.byId("hv-canvas-glance");
    assert.ok(canvas instanceof FakeCanvas);
    const base = canvas.context.of("image").at(-1)?.image as RecordingCanvas;
    const slots: [string, number, number][] = JSON.parse(String(canvas.dataset.slots));
    base.context.of("image").forEach(({ image }, n) => {
      const [, layer, head] = slots[n];
      cross.queries.forEach((_, i) => {
        cross.keys.forEach((_key, j) => {
          if (!cross.isAllowed(layer, i, j)) return;
          const pixel = (image as RecordingCanvas).pixelAt(j, i);
          assertColour(pixel, weightColour(of(shot, sentence)(layer, head, i, j)), `${where}: ${[layer, head, i, j]}`);
        });
      });
    });
    assert.equal(slots.length, cross.layers * HEADS);
  };
  check(2, 0); // the newest
  fake.byId("fv-first").onclick?.({});
  check(0, 0);
  fake.byId("fv-sentence-2").onclick?.({});
  check(0, 1);
  fake.byId("fv-next").onclick?.({});
  check(1, 1);
  fake.byId("fv-last").onclick?.({});
  check(2, 1);
  assert.equal(state.view.at, null);
});
