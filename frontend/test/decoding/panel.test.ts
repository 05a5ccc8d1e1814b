// The component of Decoding: one clock, one hypothesis, one layer and head for all of its parts.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { DecodingPanel, type DecodingView } from "../../src/decoding/panel.ts";
import { Settled } from "../../src/kit/settled.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { FakeCanvas, type FakeElement, labels, parent } from "../dom.ts";
import { tensor } from "../maps/sent.ts";
import { pack } from "../pack.ts";
import { isAllowed, PREDICTED, READ, SOURCE, traceContent, weightAt } from "../trace/sent.ts";
import { SEARCH } from "./content.ts";

const FIRST: DecodingView = {
  layer: 0,
  head: 0,
  step: 2,
  node: [2, 0],
  rerank: 0.6,
  module: "cross",
  pinned: null,
  zoom: 2,
};

function shown(view: Partial<DecodingView> = {}) {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  const told: DecodingView[] = [];
  const settled = new Settled<DecodingView>(new Map());
  const { element, fake } = parent();
  settled.adopt({ key: "k", revision: "1", view: { ...FIRST, ...view } }, (one) => told.push(one));
  const panel = new DecodingPanel(element, settled);
  fake.classed("matrices")[0].clientWidth = 1000;
  const content = {
    search: tensor(pack(plain(SEARCH))),
    node: [2, 0] as const,
    trace: traceContent(["decoder_self", "cross"]),
  };
  panel.show(content, labels({ step_text: "{step}: {read} > {predicted}" }), true);
  return { fake, settled, told };
}

// The arrays that test/pack.ts packs, without their shapes: it gives each one its own.
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if ("values" in value && "shape" in value) return value.values;
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}

function assertMatrix(fake: FakeElement, name: string, layer: number, head: number): void {
  const canvas = fake.byId(`tv-matrix-${name}`);
  assert.ok(canvas instanceof FakeCanvas);
  const base = canvas.context.of("image").at(-1)?.image as RecordingCanvas;
  const picture = base.context.of("image").at(-1)?.image as RecordingCanvas;
  READ.forEach((_, i) => {
    (name === "cross" ? SOURCE : READ).forEach((_key, j) => {
      const where = `${name} ${[layer, head, i, j]}`;
      if (isAllowed(name, i, j))
        assertColour(picture.pixelAt(j, i), weightColour(weightAt(name, layer, head, i, j)), where);
    });
  });
}

test("tree, bars, tokens, rows of attention and matrices are at the step of the clock, of the layer and head", () => {
  const { fake } = shown();
  const check = (step: number, layer: number, head: number) => {
    assert.equal(fake.byId("tv-step-text").textContent, `${step + 1}: ${READ[step]} > ${PREDICTED[step]}`);
    assert.deepEqual(
      fake.classed("level").map(({ hidden }) => hidden),
      [0, 1, 2].map((level) => level > step),
    );
    assert.equal(fake.byId("tv-bars").tags("tbody")[0].children[0].tags("bdi")[0].textContent, PREDICTED[step]);
    assert.equal(fake.byId("dc-so-far").children.length, step + 2);
    const weights = fake.byId("dc-strip-cross").classed("weight");
    SOURCE.forEach((_, j) => assert.equal(weights[j].title, weightAt("cross", layer, head, step, j).toFixed(4)));
    for (const name of ["cross", "decoder_self"]) assertMatrix(fake, name, layer, head);
    assert.match(fake.byId("dc-why").textContent, new RegExp(`^«${["a", "b", "</s>"][step]}» `));
  };
  check(2, 0, 0);
  fake.byId("tv-first").onclick?.({});
  check(0, 0, 0);
  fake.byId("tv-layer-2").onclick?.({});
  fake.byId("tv-head-3").onclick?.({});
  check(0, 1, 2);
  fake.byId("tv-next").onclick?.({});
  check(1, 1, 2);
});

test("a node that is chosen is told to Python at once, and until its trace comes the one before is marked as old", () => {
  const { fake, settled, told } = shown();
  assert.equal(fake.byId("dc-loading").hidden, true);
  fake.byId("dc-node-2-2").onclick?.({});
  assert.deepEqual(settled.view.node, [1, 1]);
  assert.deepEqual(
    told.map(({ node }) => node),
    [[1, 1]],
  );
  assert.equal(fake.byId("dc-loading").hidden, false);
  assert.equal(fake.classed("hypothesis")[0].getAttribute("aria-busy"), "true");
});
