// What of a search stands on the page: the tree up to the clock, the n best, a step's rows of attention, the cache.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CacheBox } from "../../src/decoding/cache.ts";
import { Moment } from "../../src/decoding/moment.ts";
import { NBest } from "../../src/decoding/n_best.ts";
import { Search } from "../../src/decoding/search.ts";
import { Tree } from "../../src/decoding/tree.ts";
import { SIZES, xOf, yOf } from "../../src/decoding/tree_layout.ts";
import { traceOf } from "../../src/trace/payload.ts";
import { assertColour, weightColour } from "../colours.ts";
import { labels, read, rowsOf } from "../dom.ts";
import { isAllowed, READ, SOURCE, traceContent, weightAt } from "../trace/sent.ts";
import { SEARCH } from "./content.ts";

const search = new Search(SEARCH);
const ZOOM = 2;

function treeAt(step: number, node: readonly [number, number]) {
  const tree = new Tree({ onSelect: () => {}, onStep: () => {}, onZoom: () => {} });
  tree.setLabels(labels(), "beam");
  tree.update(search, step, node, ZOOM);
  return read(tree.element);
}

// Where the edges of a path of SVG end.
const endsOf = (d: string | null) =>
  [...(d ?? "").matchAll(/ (\d+) ([\d.]+)(?=M|$)/g)].map(([, x, y]) => [Number(x), Number(y)]);
const endOf = (level: number, rank: number) => [xOf(level, ZOOM), yOf(rank, ZOOM) + SIZES[ZOOM].height / 2];

test("the tree has grown up to the step of the clock", () => {
  for (const step of [0, 1, 2]) {
    const shown = treeAt(step, [2, 0]);
    assert.deepEqual(
      shown.classed("level").map(({ hidden }) => hidden),
      [0, 1, 2].map((level) => level > step),
    );
    assert.deepEqual(
      shown.classed("column-head").map((head) => head.classList.contains("now")),
      [0, 1, 2].map((level) => level === step),
    );
  }
});

test("each node stands in its place with its token, and the edges of pruned ones are apart", () => {
  const shown = treeAt(2, [2, 1]);
  for (const { level, rank, token, status } of search.levels.flat()) {
    const node = shown.byId(`dc-node-${level + 1}-${rank + 1}`);
    assert.deepEqual([node.style.left, node.style.top], [`${xOf(level, ZOOM)}px`, `${yOf(rank, ZOOM)}px`]);
    assert.equal(node.tags("bdi")[0].textContent, token);
    assert.ok(node.classList.contains(status));
  }
  for (const kind of ["kept", "pruned"]) {
    const drawn = shown.classed(kind).filter(({ tagName }) => tagName === "path");
    search.levels.forEach((level, n) => {
      const own = level.filter(({ status }) => (status === "pruned") === (kind === "pruned"));
      const expected = own.map((node) => endOf(node.level, node.rank));
      assert.deepEqual(endsOf(drawn[n].getAttribute("d")), expected, `${kind} ${n}`);
    });
  }
});

test("the way to the node that is shown is lit, up to the clock", () => {
  const shown = treeAt(1, [2, 1]);
  const lit = shown.classed("node").filter((node) => node.classList.contains("on-path"));
  assert.deepEqual(
    lit.map((node) => node.getAttribute("data-testid")),
    ["dc-node-1-1", "dc-node-2-1", "dc-node-3-2"],
  );
  const [line] = shown.classed("on-path").filter(({ tagName }) => tagName === "path");
  assert.deepEqual(endsOf(line.getAttribute("d")), [endOf(0, 0), endOf(1, 0)]);
});

test("the n best have their rank, text, length, sum and score, and the α that ranks them", () => {
  const asked: number[] = [];
  const nBest = new NBest({ onAlpha: (alpha) => asked.push(alpha), onSelect: () => {} });
  const shown = read(nBest.element);
  nBest.setLabels(labels());
  nBest.update(search, 0.6, [1, 1]);
  assert.deepEqual(rowsOf(shown.byId("dc-n-best")).slice(1), [
    ["1", "a b", "3", "−0.8125", "−0.7000", "3"],
    ["2", "c", "2", "−1.1250", "−1.0500", "2"],
  ]);
  assert.deepEqual(
    [1, 2].map((rank) => shown.byId(`dc-n-best-${rank}`).getAttribute("aria-pressed")),
    ["false", "true"],
  );
  assert.equal(shown.byId("dc-alpha-value").textContent, "0.6");
  const slider = shown.byId("dc-alpha");
  assert.deepEqual([slider.value, slider.max], ["1", "2"]);
  slider.value = "2";
  slider.oninput?.({});
  assert.deepEqual(asked, [2]);
});

test("the formula that ranks is the search's own", () => {
  const formula = (normalization: string, rankings: typeof SEARCH.rankings = SEARCH.rankings) => {
    const nBest = new NBest({ onAlpha: () => {}, onSelect: () => {} });
    nBest.setLabels(
      labels({ n_best_by_gnmt: "gnmt, any α", n_best_by_power: "power, any α", n_best_mean: "the mean" }),
    );
    nBest.update(new Search({ ...SEARCH, normalization, rankings }), 0.6, [1, 1]);
    return read(nBest.element).classed("place")[0].textContent;
  };
  assert.equal(formula("gnmt"), "gnmt, any α");
  assert.equal(formula("power"), "power, any α");
  assert.equal(formula("mean", null), "the mean");
});

test("a step's rows are those of its own query, token by token, and what is masked has no number", () => {
  const moment = new Moment();
  const shown = read(moment.element);
  moment.setLabels(labels());
  const trace = traceOf(traceContent(["decoder_self", "cross"]));
  for (const [row, layer, head] of [
    [2, 1, 2],
    [1, 0, 1],
    [0, 1, 0],
  ]) {
    moment.update(trace, row, layer, head);
    for (const [name, keys] of [
      ["cross", SOURCE],
      ["decoder_self", READ],
    ] as const) {
      const cells = shown.byId(`dc-strip-${name}`).children;
      assert.equal(cells.length, keys.length);
      keys.forEach((key, j) => {
        const where = `${name} ${[row, layer, head, j]}`;
        const [token, weight] = cells[j].children;
        assert.equal(token.textContent, `${j + 1} ${key}`);
        const value = weightAt(name, layer, head, row, j);
        if (!isAllowed(name, row, j)) {
          assert.deepEqual([weight.textContent, weight.title], ["", "strip_later"], where);
          return;
        }
        assert.deepEqual([weight.textContent, weight.title], [value.toFixed(2), value.toFixed(4)], where);
        assertColour(weight.style.background, weightColour(value), where);
      });
    }
    assert.deepEqual(
      shown.byId("dc-so-far").children.map((token) => [token.textContent, token.className]),
      [...READ.slice(0, row + 1), trace.predicted[row]].map((token, n) => [`${n + 1} ${token}`, n > row ? "new" : ""]),
    );
  }
});

test("the cache's costs are those of the step, and of all steps up to it", () => {
  const box = new CacheBox();
  const shown = read(box.element);
  box.setLabels(labels());
  for (const [step, costs, sums] of [
    [0, ["100", "100", "1.0 ×"], ["100", "100", "1.0 ×"]],
    [2, ["120", "360", "3.0 ×"], ["330", "680", "2.1 ×"]],
  ] as const) {
    box.update(SEARCH.cache, step);
    assert.deepEqual(
      rowsOf(shown.byId("dc-cache-table"))
        .slice(1)
        .map(([, ...numbers]) => numbers),
      [costs, sums],
    );
  }
});
