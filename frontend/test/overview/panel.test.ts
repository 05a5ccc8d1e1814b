// The component of the page Overview: all of it shows one layer, one head and one step.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Settled } from "../../src/kit/settled.ts";
import { TracePanel, type TraceView } from "../../src/overview/panel.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { FakeCanvas, type FakeElement, labels, parent } from "../dom.ts";
import { HEADS, isAllowed, LAYERS, PREDICTED, READ, SOURCE, traceContent, weightAt } from "../trace/sent.ts";

let fake: FakeElement;
let settled: Settled<TraceView>;
let panel: TracePanel;
const FIRST: TraceView = { layer: 0, head: 0, step: 0, module: "cross", pinned: null };

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  const page = parent();
  fake = page.fake;
  settled = new Settled(new Map());
  panel = new TracePanel(page.element, settled);
  fake.classed("matrices")[0].clientWidth = 1000;
  show(FIRST);
});

let revision = 0;
function show(view: TraceView): void {
  const moved = settled.adopt({ key: "k", revision: String(++revision), view }, () => {});
  panel.show(traceContent(), labels({ place: "{layer}, {head}" }), moved);
  for (let n = 0; n < 3; n++) mock.timers.tick(1); // the next tokens come a frame later
}

function contextOf(name: string) {
  const canvas = fake.byId(`tv-matrix-${name}`);
  assert.ok(canvas instanceof FakeCanvas);
  return canvas.context;
}

test("each matrix has the weights of the layer and head that are chosen, by a link or by a button", () => {
  const press = (name: string, place: number) => fake.byId(`tv-${name}-${place + 1}`).onclick?.({});
  for (const [layer, head, isPressed] of [
    [0, 1, false],
    [1, 0, true],
    [1, 2, true],
    [LAYERS - 1, HEADS - 1, false],
    [0, 2, true],
  ] as const) {
    if (isPressed) {
      press("layer", layer);
      press("head", head);
    } else show({ ...FIRST, layer, head });
    for (const [name, queries, keys] of [
      ["encoder_self", SOURCE, SOURCE],
      ["decoder_self", READ, READ],
      ["cross", READ, SOURCE],
    ] as const) {
      const base = contextOf(name).of("image").at(-1)?.image as RecordingCanvas;
      const picture = base.context.of("image").at(-1)?.image as RecordingCanvas;
      assert.deepEqual([picture.width, picture.height], [keys.length, queries.length]);
      queries.forEach((_, i) => {
        keys.forEach((_key, j) => {
          const where = `${name} ${[layer, head, i, j]}`;
          const pixel = picture.pixelAt(j, i);
          if (isAllowed(name, i, j)) assertColour(pixel, weightColour(weightAt(name, layer, head, i, j)), where);
          else assert.equal(pixel[3], 0, where);
        });
      });
    }
  }
});

test("the decoder's rows are steps, and those to come are faint; the encoder has read all of them", () => {
  const faintFrom = (name: string) =>
    contextOf(name)
      .of("rect")
      .filter(({ alpha }) => alpha === 0.72)
      .at(-1)?.points[0][1];
  show({ ...FIRST, step: 1 });
  const [top, cell] = ["top", "height"].map((part) => Number(fake.byId("tv-matrix-cross").dataset[part]));
  assert.equal(faintFrom("encoder_self"), undefined);
  for (const name of ["decoder_self", "cross"]) assert.equal(faintFrom(name), top + 2 * cell, name);
});

test("the next tokens are those of the step", () => {
  for (const step of [2, 1]) {
    show({ ...FIRST, step });
    const [first] = fake.byId("tv-bars").tags("tbody")[0].children;
    assert.equal(first.tags("bdi")[0].textContent, PREDICTED[step]);
  }
});

test("a cell is pinned in its own module alone", () => {
  show({ ...FIRST, pinned: [1, 0], step: 2 });
  const pinned = (name: string) =>
    contextOf(name)
      .of("outline")
      .filter(({ style }) => style === "--st-primary-color");
  assert.deepEqual(
    ["encoder_self", "decoder_self", "cross"].map((name) => pinned(name).length > 0),
    [false, false, true],
  );
});
