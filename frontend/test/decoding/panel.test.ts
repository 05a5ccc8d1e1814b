// The component of Decoding: one clock, one hypothesis, one layer and head for all of its parts.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { DecodingPanel, type DecodingView } from "../../src/decoding/panel.ts";
import { ViewState } from "../../src/kit/view_state.ts";
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
  result: null,
  asked: null,
};

function shown(view: Partial<DecodingView> = {}, width = 1000) {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  const told: DecodingView[] = [];
  const state = new ViewState<DecodingView>(new Map());
  const { element, fake } = parent();
  state.adopt({ key: "k", revision: "1", view: { ...FIRST, ...view } }, (one) => told.push(one));
  const panel = new DecodingPanel(element, state);
  for (const part of ["matrices", "decoding"]) fake.classed(part)[0].clientWidth = width;
  const content = {
    search: tensor(pack(plain(SEARCH))),
    node: [2, 0] as const,
    trace: traceContent(["decoder_self", "cross"]),
  };
  panel.show(
    content,
    labels({ step_text: "{step}: {read} > {predicted}", node: "{step} {rank} of {count}: {text}", ban: "ban {token}" }),
    true,
  );
  return { fake, state, told };
}

// The content with bare arrays for its tensors, as test/pack.ts takes it.
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
    const reached = ["1 1 of 3: a", "2 1 of 3: a b", "3 1 of 2: a b </s>"];
    assert.ok(fake.byId("dc-node").textContent.startsWith(`${reached[step]} · `));
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
  const { fake, state, told } = shown();
  assert.equal(fake.byId("dc-loading").hidden, true);
  fake.byId("dc-node-2-2").onclick?.({});
  assert.deepEqual(state.view.node, [1, 1]);
  assert.deepEqual(
    told.map(({ node }) => node),
    [[1, 1]],
  );
  assert.equal(fake.byId("dc-loading").hidden, false);
  assert.equal(fake.classed("hypothesis")[0].getAttribute("aria-busy"), "true");
});

test("what is forced or banned is the step of the clock, and it is asked for once", () => {
  const { fake, state, told } = shown();
  const isHidden = () => ["dc-force", "dc-ban"].map((name) => fake.byId(name).hidden);
  assert.deepEqual(isHidden(), [true, true]); // the end token cannot be forced or banned
  fake.byId("tv-previous").onclick?.({});
  assert.deepEqual(isHidden(), [false, false]);
  assert.equal(fake.byId("dc-ban").textContent, "ban b");
  fake.byId("dc-ban").onclick?.({});
  assert.deepEqual([told.at(-1)?.asked, told.at(-1)?.node, told.at(-1)?.step], ["ban", [2, 0], 1]);
  assert.equal(state.view.asked, null);
  fake.byId("dc-force").onclick?.({});
  assert.deepEqual(
    told.map(({ asked }) => asked),
    ["ban", "force"],
  );
});

test("below the attention one result is open, and only that one is filled", () => {
  const { fake } = shown();
  const open = () => ["of-trace", "n-best-box", "cache"].map((name) => !fake.classed(name)[0].hidden);
  assert.deepEqual(open(), [true, false, false]);
  assert.equal(fake.byId("dc-n-best").tags("tr").length, 1); // its heading
  fake.byId("dc-result-2").onclick?.({});
  assert.deepEqual(open(), [false, true, false]);
  assert.equal(fake.byId("dc-n-best").tags("tr").length, 3);
  fake.byId("dc-result-3").onclick?.({});
  assert.deepEqual(open(), [false, false, true]);
});

test("a phone opens with the picture alone, and what a link speaks of is open", () => {
  const open = (view: Partial<DecodingView>, width: number) =>
    ["of-trace", "n-best-box", "cache"].filter((name) => !shown(view, width).fake.classed(name)[0].hidden);
  assert.deepEqual(open({}, 360), []);
  assert.deepEqual(open({ pinned: [0, 0] }, 360), ["of-trace"]);
  assert.deepEqual(open({ rerank: 2 }, 1000), ["n-best-box"]);
  assert.deepEqual(open({ rerank: 2, result: "cache" }, 360), ["cache"]);
});
