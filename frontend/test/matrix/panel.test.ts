// The component of sheets: which sheet and stage is shown, and that what is painted is that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Asked, ViewState } from "../../src/kit/view_state.ts";
import { MatrixPanel } from "../../src/matrix/panel.ts";
import type { Content, View } from "../../src/matrix/sheet.ts";
import { sheetOf } from "../../src/matrix/sheet.ts";
import { Stage } from "../../src/matrix/stage.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, signedColour } from "../colours.ts";
import { FakeCanvas, type FakeElement, labels, parent, read } from "../dom.ts";
import { tensor } from "../maps/sent.ts";
import { MASK, sentMatrix, VALUES } from "./sent.ts";

// One number in all cells tells which matrix it is.
const filled = (value: number) =>
  sentMatrix({ kind: "diverging", extent: 100, values: tensor(new Float32Array(6).fill(value), 2, 3) });
const stage = (n: number) => ({
  name: "",
  title: `Stage ${n}`,
  shapes: `(${n})`,
  text: `Text ${n}`,
  code: "",
  lit: [],
  matrices: [n - 1],
  slugs: "",
  isIdle: false,
  isProduct: false,
  operators: [],
});
const sheet = (value: number) => ({
  stages: [stage(1), stage(2)],
  formula: [],
  terms: [],
  matrices: [filled(value), { ...filled(-value), name: "weights" }],
});
const choice = (name: string, count: number) => ({
  name,
  label: name,
  hint: "",
  options: Array.from({ length: count }, (_, n) => String(n + 1)),
  turnsSheets: true,
  hasDigits: false,
  stages: [],
  isRange: false,
  until: null,
});
// Two layers of three heads: one sheet each, heads running fastest.
const CONTENT: Content = {
  sheets: [10, 20, 30, 40, 50, 60].map(sheet),
  choices: [choice("layer", 2), choice("head", 3)],
  results: null,
};

// The cells as they are on the canvas: its base, and on it the picture of one pixel a cell.
function pictureOf(canvas: FakeElement): RecordingCanvas {
  assert.ok(canvas instanceof FakeCanvas);
  const base = canvas.context.of("image").at(-1)?.image as RecordingCanvas;
  return base.context.of("image").at(-1)?.image as RecordingCanvas;
}

function assertFilled(shown: FakeElement, name: string, value: number): void {
  const picture = pictureOf(shown.byId(`mv-matrix-${name}`));
  MASK.forEach((isThere, n) => {
    const pixel = picture.pixelAt(n % 3, Math.floor(n / 3));
    if (isThere) assertColour(pixel, signedColour(value, 100), `cell ${n}`);
    else assert.equal(pixel[3], 0);
  });
}

function panel(view: View, first = CONTENT) {
  const state = new ViewState<View>(new Map());
  const { element, fake } = parent();
  const shown = new MatrixPanel(element, state);
  fake.children[0].clientWidth = 900;
  let revision = 0;
  const told: View[] = [];
  const show = (to: View, content = CONTENT) => {
    const asked: Asked<View> = { key: "k", revision: String(++revision), view: to };
    const moved = state.adopt(asked, ({ stage, choices, pinned }) => told.push({ stage, choices, pinned }));
    shown.show(content, labels(), moved);
  };
  show(view, first);
  return { fake, show, told };
}

test("of the choices the last one runs fastest, and a sheet has its own numbers", () => {
  const { fake, show } = panel({ stage: 0, choices: [0, 0], pinned: null });
  for (const layer of [0, 1]) {
    for (const head of [0, 1, 2]) {
      show({ stage: 0, choices: [layer, head], pinned: null });
      assertFilled(fake, "scores", 10 * (3 * layer + head + 1));
    }
  }
});

test("a stage has its own text and matrices, and the others are away", () => {
  const { fake, show } = panel({ stage: 0, choices: [0, 1], pinned: null });
  for (const n of [1, 0]) {
    show({ stage: n, choices: [0, 1], pinned: null });
    assert.deepEqual(
      [fake.byId("mv-text").textContent, fake.byId("mv-shapes").textContent],
      [`Text ${n + 1}`, `(${n + 1})`],
    );
    assertFilled(fake, n ? "weights" : "scores", n ? -20 : 20);
    assert.deepEqual(
      fake.classed("matrices").map((one) => one.classList.contains("away")),
      [n !== 0, n !== 1],
    );
  }
});

test("other numbers under the same names are painted anew", () => {
  const view = { stage: 0, choices: [1, 2], pinned: null };
  const { fake, show } = panel(view);
  assertFilled(fake, "scores", 60);
  show(view, { ...CONTENT, sheets: [15, 25, 35, 45, 55, 65].map(sheet) });
  assertFilled(fake, "scores", 65);
});

test("on a dark page a matrix is painted in the colours of the dark page", () => {
  const shown = new Stage(() => {});
  const { matrices } = sheetOf({ stages: [], formula: [], terms: [], matrices: [sentMatrix()] });
  shown.setMatrices(matrices, labels());
  const colours = [false, true].map((isDark) => {
    const look = { text: "ink", background: "paper", isDark, accent: "", hue: "", font: "serif", ratio: 1 };
    shown.paint({ look, width: 600, height: undefined, pinnedIn: () => null });
    const picture = pictureOf(read(shown.element).byId("mv-matrix-scores"));
    return picture.pixelAt(1, 0).slice(0, 3);
  });
  assert.equal(VALUES[1], -2); // the lowest of all: the first colour of the scale
  assertColour(colours[0], [8, 62, 121], "light");
  assertColour(colours[1], [142, 202, 255], "dark");
});

test("until somebody chooses, a stage is shown with the option that shows it best, and Python hears of it at once", () => {
  const modules = { ...choice("module", 3), turnsSheets: false, until: [1, 2] as const };
  const content: Content = { sheets: [sheet(10)], choices: [modules], results: null };
  const { fake, show, told } = panel({ stage: 0, choices: [0], pinned: null }, content);
  fake.byId("mv-stage-2").onclick?.({});
  assert.deepEqual(told.at(-1), { stage: 1, choices: [2], pinned: null });
  show({ stage: 0, choices: [1], pinned: null }, { ...content, choices: [{ ...modules, until: null }] });
  const before = told.length;
  fake.byId("mv-stage-2").onclick?.({});
  assert.equal(told.length, before); // Python hears of the stage later, and of no other choice
});

test("a choice and its results stand beside the stages that they belong to, and nowhere else", () => {
  const aside = { ...choice("divisor", 2), stages: [1] };
  const heat = { ...choice("heat", 5), stages: [1], isRange: true };
  const results = {
    caption: "What came of it",
    rows: [
      ["", "before"],
      ["bits", "1.5"],
    ],
    stages: [1],
  };
  const content: Content = {
    sheets: [10, 20, 30, 40, 50, 60, 70, 80, 90, 15].map(sheet),
    choices: [aside, heat],
    results,
  };
  const { fake, show } = panel({ stage: 0, choices: [0, 4], pinned: null }, content);
  const hidden = () => [fake.byId("mv-divisor-1"), fake.byId("mv-heat"), fake.byId("mv-results")].map(isHidden);
  assert.deepEqual(hidden(), [true, true, true]);
  show({ stage: 1, choices: [0, 4], pinned: null }, content);
  assert.deepEqual(hidden(), [false, false, false]);
  assert.deepEqual(
    fake
      .byId("mv-results")
      .tags("tr")
      .map((row) => row.textContent),
    ["before", "bits1.5"],
  );
  assert.equal(fake.byId("mv-heat").valueAsNumber, 4);
});

function isHidden(node: FakeElement): boolean {
  return node.hidden || (node.parent !== null && isHidden(node.parent));
}
