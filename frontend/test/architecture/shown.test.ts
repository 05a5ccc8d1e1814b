// The figure and the box that is chosen in it: its own title, layer and tensors.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArchitectureView, Figure } from "../../src/architecture/content.ts";
import { PLACES } from "../../src/architecture/layout.ts";
import { ArchitecturePanel } from "../../src/architecture/panel.ts";
import { ViewState } from "../../src/kit/view_state.ts";
import { labels, parent, rowsOf } from "../dom.ts";

const LAYERS = 3;
const box = (id: string, layers: number) => ({
  id,
  title: `Title\n${id}`,
  text: `text of ${id}`,
  size: `size of ${id}`,
  page: `page of ${id}`,
  main: "output",
  layers: Array.from({ length: layers }, (_, layer) => ({
    href: `${id}?layer=${layer + 1}`,
    tensors: ["input", "output"].map((stage) => ({
      name: `${id}.${layer}.${stage}`,
      stage,
      letters: `(${stage})`,
      shape: `${layer + 1} × ${id.length}`,
    })),
  })),
});
const FIGURE: Figure = {
  boxes: PLACES.map(({ id }) => box(id, id.startsWith("encoder_") || id.startsWith("decoder_") ? LAYERS : 1)),
  stacks: { encoder: LAYERS, decoder: LAYERS },
  inputs: "inputs",
  outputs: "outputs",
  result: "result",
};

function shown(view: ArchitectureView) {
  const state = new ViewState<ArchitectureView>(new Map());
  const { element, fake } = parent();
  state.adopt({ key: "k", revision: "1", view }, () => {});
  new ArchitecturePanel(element, state).show(FIGURE, labels());
  return { fake, state };
}

test("exactly the chosen box is pressed, and each stands in its place with its own title and size", () => {
  const { fake } = shown({ box: "cross", layer: 0, tensor: null });
  for (const { id, x, y, width, height } of PLACES) {
    const node = fake.byId(`ar-box-${id}`);
    assert.equal(node.getAttribute("aria-pressed"), String(id === "cross"), id);
    const [rect] = node.tags("rect");
    assert.deepEqual(
      ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name))),
      [x, y, width, height],
    );
    assert.deepEqual(
      node.tags("tspan").map((line) => line.textContent),
      ["Title", id, `size of ${id}`],
    );
  }
});

test("beside the figure stand the tensors of the chosen box in the chosen layer", () => {
  for (const [id, layer] of [
    ["encoder_self", 2],
    ["decoder_ffn", 1],
    ["memory", 0],
  ] as const) {
    const { fake } = shown({ box: id, layer, tensor: null });
    assert.equal(fake.byId("ar-title").textContent, `Title ${id}`);
    assert.equal(fake.byId("ar-link").href, `${id}?layer=${layer + 1}`);
    const shape = `${layer + 1} × ${id.length}`;
    assert.deepEqual(rowsOf(fake.byId("ar-tensors")).slice(1), [
      ["input", "(input)", shape],
      ["output", "(output)", shape],
    ]);
    const pressed = ["input", "output"].map((stage) => fake.byId(`ar-tensor-${stage}`).getAttribute("aria-pressed"));
    assert.deepEqual(pressed, ["false", "true"]); // its main one
  }
});

test("a click chooses a box", () => {
  const { fake, state } = shown({ box: "cross", layer: 0, tensor: "input" });
  fake.byId("ar-box-linear").onclick?.({});
  assert.deepEqual(state.view, { box: "linear", layer: 0, tensor: null });
  assert.equal(fake.byId("ar-title").textContent, "Title linear");
});

test("a stack has a card for each of its layers, and says how many", () => {
  const { fake } = shown({ box: "cross", layer: 0, tensor: null });
  assert.equal(fake.classed("frame").length, 2 * LAYERS);
});
