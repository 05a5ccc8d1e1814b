// A drawing of a type of layer: inputs at the foot, outputs on top, and lit what the chosen output sees.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ViewState } from "../../src/kit/view_state.ts";
import type { PathsView } from "../../src/why_attention/paths_content.ts";
import { PathsDrawing } from "../../src/why_attention/paths_drawing.ts";
import { PathsPanel } from "../../src/why_attention/paths_panel.ts";
import { labels, parent, read } from "../dom.ts";
import { tensor } from "../maps/sent.ts";

const [N, LEVELS] = [5, 2];
// A convolution over a position and the one before it.
const EDGES = Array.from({ length: LEVELS }, (_, level) =>
  Array.from({ length: N }, (_position, to) =>
    [to - 1, to].filter((from) => from >= 0).map((from) => [level, from, level + 1, to] as const),
  ).flat(),
).flat();
const kind = {
  id: "convolution",
  title: "Convolution",
  note: "",
  cut: "",
  n: N,
  levels: LEVELS,
  edges: tensor(Uint16Array.from(EDGES.flat()), EDGES.length, 4),
};
const LABELS = labels({
  sees: "{to} sees {count} from {first}",
  way: "{from} in {length}",
  no_way: "{from} no way",
  drawing: "{title}. {text}",
  conclusion: "{from} to {to}: {convolution}",
  nothing: "none",
  one: "a single one",
  several: "{n} of them",
});

function drawn(input: number, output: number) {
  const drawing = new PathsDrawing(kind, LABELS, () => {});
  drawing.mark(input, output);
  const figure = read(drawing.figure);
  const circles = figure.tags("circle");
  const placeOf = (level: number, position: number) => {
    const circle = circles[level * N + position];
    return `${circle.getAttribute("cx")} ${circle.getAttribute("cy")}`;
  };
  return { figure, circles, placeOf };
}

test("positions run to the right and levels up, and the ends are named", () => {
  const { figure, circles } = drawn(0, 0);
  const at = (name: string) => (circle: (typeof circles)[number]) => Number(circle.getAttribute(name));
  circles.forEach((circle, node) => {
    const [level, position] = [Math.floor(node / N), node % N];
    if (position) assert.ok(at("cx")(circle) > at("cx")(circles[node - 1]));
    if (level) assert.ok(at("cy")(circle) < at("cy")(circles[node - N]));
    const end = level === 0 ? "input" : level === LEVELS ? "output" : null;
    assert.equal(circle.getAttribute("data-testid"), end && `pa-convolution-${end}-${position + 1}`);
  });
  const numbers = figure.classed("index").filter((text) => /^\d$/.test(text.textContent));
  numbers.forEach((text, position) => {
    assert.equal(text.textContent, String(position + 1));
    assert.equal(text.getAttribute("x"), circles[position].getAttribute("cx"));
  });
  assert.equal(numbers.length, N);
});

test("lit is what the output sees, and the way from the input", () => {
  for (const [input, output] of [
    [2, 4],
    [0, 4],
    [1, 1],
  ]) {
    const { figure, circles, placeOf } = drawn(input, output);
    // Output `output` sees at a level as many positions before it as there are levels above.
    const isSeen = (level: number, position: number) => position <= output && position >= output - (LEVELS - level);
    const isOnWay = input >= output - LEVELS;
    const edges = { edge: new Set<string>(), seen: new Set<string>(), path: new Set<string>() };
    for (const name of ["edge", "seen", "path"] as const) {
      const [stroke] = figure.classed(name).filter(({ tagName }) => tagName === "path");
      for (const [, from, to] of (stroke.getAttribute("d") ?? "").matchAll(/M([\d.]+ [\d.]+)L([\d.]+ [\d.]+)/g))
        edges[name].add(`${from}>${to}`);
    }
    for (const [level, from, above, to] of EDGES) {
      const edge = `${placeOf(level, from)}>${placeOf(above, to)}`;
      const where = `${[input, output]}: ${[level, from, above, to]}`;
      assert.equal(edges.seen.has(edge) || edges.path.has(edge), isSeen(above, to), where);
      assert.equal(edges.edge.has(edge), !isSeen(above, to), where);
    }
    assert.equal(edges.path.size, isOnWay ? LEVELS : 0);
    circles.forEach((circle, node) => {
      const [level, position] = [Math.floor(node / N), node % N];
      assert.equal(circle.className !== "node", isSeen(level, position), `${[input, output]}: ${[level, position]}`);
    });
    const count = Math.min(output, LEVELS) + 1;
    const way = isOnWay ? `${input + 1} in ${LEVELS}` : `${input + 1} no way`;
    const text = `${output + 1} sees ${count} from ${output - count + 2} ${way}`;
    assert.equal(figure.byId("pa-readout-convolution").textContent, text);
  }
});

test("the sliders say which input and output are marked; no output is before its input, and none beyond the last", () => {
  for (const [asked, shown] of [
    [
      { input: 1, output: 3 },
      { input: 1, output: 3 },
    ],
    [
      { input: 3, output: 1 },
      { input: 3, output: 3 },
    ],
    [
      { input: 0, output: 4 },
      { input: 0, output: 4 },
    ],
    [
      { input: 9, output: 9 },
      { input: N - 1, output: N - 1 },
    ],
  ]) {
    const state = new ViewState<PathsView>(new Map());
    const { element, fake } = parent();
    state.adopt({ key: "k", revision: "1", view: asked }, () => {});
    new PathsPanel(element, state).show({ n: N, kinds: [kind] }, LABELS);
    assert.equal(fake.byId("pa-from").value, String(shown.input));
    assert.equal(fake.byId("pa-to").value, String(shown.output));
    assert.match(
      fake.byId("pa-readout-convolution").textContent,
      new RegExp(`^${shown.output + 1} sees .* ${shown.input + 1} `),
    );
    const apart = shown.output - shown.input;
    const way = apart > LEVELS ? "none" : `${LEVELS} of them`;
    assert.equal(fake.byId("pa-conclusion").textContent, `${shown.input + 1} to ${shown.output + 1}: ${way}`);
  }
});
