// Figure 2 of the paper: which box is lit at which stage, what a press and the arrow keys do, what is faint.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FigureTwo } from "../../src/matrix/figure_two.ts";
import type { StageText } from "../../src/matrix/sheet.ts";
import { type FakeElement, labels, read } from "../dom.ts";

const STAGES = ["x", "qkv", "scores", "scale", "mask", "softmax", "context", "output"];
const TEXTS = labels({ box: "{box}: {stage}", idle_box: "{box}: {stage}, idle", X: "X", Q: "Q", K: "K", V: "V" });

const stagesOf = (names: readonly string[], idle = "") =>
  names.map((name) => ({ name, title: `<${name}>`, isIdle: name === idle, slugs: name }) as StageText);

function figure(stages: readonly StageText[]) {
  const gone: number[] = [];
  const shown = new FigureTwo((stage) => {
    gone.push(stage);
    if (stages[stage]) shown.show(stages, stage, TEXTS);
  });
  const drawing = read(shown.element);
  const named = (attribute: string, value: string) =>
    drawing.all((node) => node.getAttribute(attribute) === value).map((node) => node.getAttribute("aria-label"));
  return {
    show: (stage: number) => shown.show(stages, stage, TEXTS),
    boxes: () => drawing.classed("box"),
    lit: () => named("aria-pressed", "true"),
    stop: () => named("tabindex", "0"),
    key: (key: string) => drawing.onkeydown?.({ key, preventDefault: () => {} }),
    gone,
    drawing,
  };
}

const middleOf = (box: FakeElement) => {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) =>
    Number(box.tags("rect")[0]?.getAttribute(name)),
  ) as [number, number, number, number];
  return [x + width / 2, y + height / 2, width / 2, height / 2] as const;
};

test("every stage has its boxes, as the paper names them, and no other is lit with it", () => {
  const { show, lit, stop } = figure(stagesOf(STAGES));
  const expected = [
    ["X: <x>"],
    ["linear: <qkv>", "linear: <qkv>", "linear: <qkv>", "Q: <qkv>", "K: <qkv>", "V: <qkv>"],
    ["matmul: <scores>"],
    ["scale: <scale>"],
    ["mask: <mask>"],
    ["softmax: <softmax>"],
    ["matmul: <context>"],
    ["concat: <output>", "linear: <output>"],
  ];
  expected.forEach((names, stage) => {
    show(stage);
    assert.deepEqual(lit(), names);
    assert.deepEqual(stop(), names.slice(0, 1)); // the Tab key stops once
  });
});

test("a press on a box leads to its stage, and the arrow keys lead up and down", () => {
  const { show, boxes, key, lit, gone } = figure(stagesOf(STAGES));
  show(2);
  const nodes = boxes();
  for (const box of nodes) box.onclick?.({});
  assert.deepEqual(gone, [0, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 7]);
  show(2);
  for (const name of ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft", "a"]) key(name);
  assert.deepEqual(gone.slice(nodes.length), [3, 4, 3, 2]);
  assert.deepEqual(lit(), ["matmul: <scores>"]);
  assert.deepEqual(boxes(), nodes); // which are never built anew: the focus stays
});

test("a step that changes nothing is faint, and says so", () => {
  const { show, drawing, lit } = figure(stagesOf(STAGES, "mask"));
  show(4);
  assert.deepEqual(lit(), ["mask: <mask>, idle"]);
  assert.deepEqual(drawing.classed("idle"), [drawing.byId("mv-box-mask-mask")]);
});

test("typed matrices have the left half alone, and what is not attention nothing", () => {
  const hand = figure(stagesOf(STAGES.slice(1, -1)));
  hand.show(0);
  assert.deepEqual(hand.lit(), ["Q: <qkv>", "K: <qkv>", "V: <qkv>"]);
  assert.deepEqual(
    hand.boxes().map((box) => box.textContent),
    ["Q", "K", "V", "matmul", "scale", "mask", "softmax", "matmul"],
  );
  assert.equal(hand.drawing.classed("frame").length, 0);
  const other = figure(stagesOf([""]));
  other.show(0);
  assert.equal(other.boxes().length, 0); // the style sheet then hides all of it
});

test("the data flow upwards, and no box covers another", () => {
  const { show, boxes } = figure(stagesOf(STAGES));
  show(0);
  const places = boxes().map(middleOf);
  const half = (stage: number) => places.slice(stage, stage + 5).map(([, y]) => y);
  assert.deepEqual(
    half(7),
    half(7).toSorted((a, b) => b - a),
  ); // MatMul, Scale, Mask, SoftMax, MatMul
  places.forEach(([x, y, wide, high], n) => {
    for (const [otherX, otherY, otherWide, otherHigh] of places.slice(n + 1))
      assert.ok(Math.abs(x - otherX) >= wide + otherWide || Math.abs(y - otherY) >= high + otherHigh);
  });
});
