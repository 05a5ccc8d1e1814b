// The component of the page Overview: all of it shows one layer, one head and one step.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { ViewState } from "../../src/kit/view_state.ts";
import { TracePanel, type TraceView } from "../../src/overview/panel.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { FakeCanvas, type FakeElement, labels, parent } from "../dom.ts";
import { HEADS, isAllowed, LAYERS, PREDICTED, READ, SOURCE, traceContent, weightAt } from "../trace/sent.ts";

let fake: FakeElement;
let state: ViewState<TraceView>;
let panel: TracePanel;
const NAMES = ["encoder_self", "decoder_self", "cross"] as const;
const SIZES = { encoder_self: [SOURCE, SOURCE], decoder_self: [READ, READ], cross: [READ, SOURCE] } as const;
const LABELS = labels({
  place: "{layer}, {head}",
  sentence_written: "{token}: {looks}",
  sentence_read: "read {token}: {looks}",
  looks: "{share} at {key}",
  looks_more: "{share} at {key}",
});
const FIRST: TraceView = { layer: 0, head: 0, step: 0, module: "cross", pinned: null, tinted: true };

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  const page = parent();
  fake = page.fake;
  state = new ViewState(new Map());
  panel = new TracePanel(page.element, state);
  fake.classed("figure")[0].clientWidth = 1000;
  show(FIRST);
});

let revision = 0;
function show(view: TraceView): void {
  const moved = state.adopt({ key: "k", revision: String(++revision), view }, () => {});
  panel.show(traceContent(), LABELS, moved);
  for (let n = 0; n < 3; n++) mock.timers.tick(1); // the next tokens come a frame later
}

function contextOf(name: string) {
  const canvas = fake.byId(`tv-matrix-${name}`);
  assert.ok(canvas instanceof FakeCanvas);
  return canvas.context;
}

function small(name: string): FakeCanvas {
  const canvas = fake.byId(`tv-small-${name}`);
  assert.ok(canvas instanceof FakeCanvas);
  return canvas;
}

const has = (id: string) => fake.all((node) => node.getAttribute("data-testid") === id).length > 0;

const weightOf = ({ module, layer, head }: TraceView, i: number, j: number) => weightAt(module, layer, head, i, j);

test("each matrix, large and small, has the weights of the layer and head that are chosen, by a link or by a button", () => {
  const press = (name: string, place: number) => fake.byId(`tv-${name}-${place + 1}`).onclick?.({});
  for (const [layer, head, isPressed] of [
    [0, 1, false],
    [1, 0, true],
    [1, 2, true],
    [LAYERS - 1, HEADS - 1, false],
    [0, 2, true],
  ] as const) {
    for (const large of NAMES) {
      if (isPressed) {
        if (state.view.module !== large) fake.byId(`tv-show-${large}`).onclick?.({});
        press("layer", layer);
        press("head", head);
      } else show({ ...FIRST, layer, head, module: large });
      for (const name of NAMES) {
        const [queries, keys] = SIZES[name];
        const canvas = name === large ? (contextOf(name).of("image").at(-1)?.image as RecordingCanvas) : small(name);
        const picture = canvas.context.of("image").at(-1)?.image as RecordingCanvas;
        assert.deepEqual([picture.width, picture.height], [keys.length, queries.length]);
        queries.forEach((_, i) => {
          keys.forEach((_key, j) => {
            const where = `${large} ${name} ${[layer, head, i, j]}`;
            const pixel = picture.pixelAt(j, i);
            if (isAllowed(name, i, j)) assertColour(pixel, weightColour(weightAt(name, layer, head, i, j)), where);
            else assert.equal(pixel[3], 0, where);
          });
        });
      }
    }
  }
});

test("one module is large, and the two others are small", () => {
  for (const large of NAMES) {
    show({ ...FIRST, module: large });
    for (const name of NAMES) {
      assert.equal(has(`tv-matrix-${name}`), name === large, `${large} ${name}`);
      assert.equal(has(`tv-show-${name}`), name !== large, `${large} ${name}`);
    }
  }
});

test("the decoder's rows are steps, and those to come are faint; the encoder has read all of them", () => {
  const faintFrom = (name: string) => {
    show({ ...FIRST, step: 1, module: name });
    return contextOf(name)
      .of("rect")
      .filter(({ alpha }) => alpha === 0.72)
      .at(-1)?.points[0][1];
  };
  assert.equal(faintFrom("encoder_self"), undefined);
  for (const name of ["decoder_self", "cross"]) {
    const from = faintFrom(name);
    const [top, cell] = ["top", "height"].map((part) => Number(fake.byId(`tv-matrix-${name}`).dataset[part]));
    assert.equal(from, top + 2 * cell, name);
  }
});

test("a word of the output is a step, and pressed while it is shown", () => {
  const words = () => PREDICTED.map((_, n) => fake.byId(`tv-word-${n + 1}`));
  assert.deepEqual(
    words().map((word) => word.textContent),
    PREDICTED,
  );
  for (const step of [2, 0, 1]) {
    words()[step].onclick?.({});
    assert.equal(state.view.step, step);
    assert.deepEqual(
      words().map((word) => word.getAttribute("aria-pressed")),
      PREDICTED.map((_, n) => String(n === step)),
    );
  }
});

test("the sentence reads the row of the step of what is large, at the head that is chosen", () => {
  for (const view of [
    { ...FIRST, step: 2 },
    { ...FIRST, step: 1, layer: 1, head: 2 },
    { ...FIRST, step: 2, module: "decoder_self", head: 1 },
  ]) {
    show(view);
    const [, keys] = SIZES[view.module as keyof typeof SIZES];
    const weights = keys.map((_, j) => (isAllowed(view.module, view.step, j) ? weightOf(view, view.step, j) : -1));
    const best = weights.indexOf(Math.max(...weights));
    const said = fake.byId("tv-sentence").textContent;
    const expected = `${PREDICTED[view.step]}: ${Math.round(100 * weights[best])} % at ${keys[best]}`;
    assert.ok(said.startsWith(expected), `${said} | ${expected}`);
  }
});

test("of the encoder the sentence reads the pinned token, or the one that the word is written from", () => {
  show({ ...FIRST, module: "encoder_self", pinned: [1, 0] });
  assert.match(fake.byId("tv-sentence").textContent, /^read b: /);
  for (const step of [0, 1, 2]) {
    const view = { ...FIRST, step, layer: 1, head: 1, module: "encoder_self" };
    show(view);
    const weights = SOURCE.map((_, j) => weightAt("cross", 1, 1, step, j));
    const row = weights.indexOf(Math.max(...weights));
    assert.ok(fake.byId("tv-sentence").textContent.startsWith(`read ${SOURCE[row]}: `), `${step}`);
    const [top, cell] = ["top", "height"].map((part) => Number(fake.byId("tv-matrix-encoder_self").dataset[part]));
    const marked = contextOf("encoder_self").of("outline").at(-1);
    assert.ok(Math.abs(Number(marked?.points[0][1]) - (top + row * cell)) < 2, `${step}: its row is marked`);
  }
});

test("the next tokens are those of the step", () => {
  for (const step of [2, 1]) {
    show({ ...FIRST, step });
    const [first] = fake.byId("tv-bars").tags("tbody")[0].children;
    assert.equal(first.tags("bdi")[0].textContent, PREDICTED[step]);
  }
});

test("a cell is pinned in its own module, and let go where another one is large", () => {
  show({ ...FIRST, pinned: [1, 0], step: 2 });
  const pinned = (name: string) =>
    contextOf(name)
      .of("outline")
      .filter(({ style }) => style === "--st-primary-color").length > 0;
  assert.ok(pinned("cross"));
  for (const name of ["encoder_self", "decoder_self"]) {
    fake.byId(`tv-show-${name}`).onclick?.({});
    assert.deepEqual([state.view.module, state.view.pinned], [name, null]);
    assert.ok(!pinned(name));
  }
});

test("words are tinted by how improbable they are, until a click on the legend", () => {
  const shares = () =>
    [1, 2, 3].map((n) => Number(fake.byId(`tv-word-${n}`).style.getPropertyValue("--share")).toFixed(3));
  const doubts = ["0.500", "0.250", "0.125"];
  assert.deepEqual(shares(), doubts);
  fake.byId("tv-tint").onclick?.({});
  assert.deepEqual(shares(), ["0.000", "0.000", "0.000"]);
  assert.deepEqual([fake.byId("tv-tint").getAttribute("aria-pressed"), state.view.tinted], ["false", false]);
  show(FIRST);
  assert.deepEqual(shares(), doubts);
});

test("what the model was unsure of is said above the picture", () => {
  const doubt = fake.byId("tv-doubt");
  assert.ok(doubt.hidden);
  const content = { ...traceContent(), doubts: [{ sign: "improbable", token: "", value: 0.4 } as const] };
  panel.show(content, labels({ unsure: "Unsure: {signs}.", improbable: "{value}" }), true);
  assert.ok(!doubt.hidden);
  assert.equal(doubt.textContent, "Unsure: 40 %.");
});
