// A film's numbers and heads, and its curves, held against what was sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { highestLoss, nearestSnapshot, pathOf, seriesOf, xOf, yOf } from "../../src/training/curve_layout.ts";
import { Film, type PackedFilm } from "../../src/training/film.ts";
import { causal, cross, packedModule, STEPS, tensor, weight } from "../maps/sent.ts";

const HEADS = 2;
const SHOTS = [0, 10, 40, 200];
const WIDTH = 492; // 46 + 400 + 46
const at = (shot: number, sentence: number) => (layer: number, head: number, i: number, j: number) =>
  weight(layer + 5 * shot + 3 * sentence, head, i, j);

function filmed(sentence: number) {
  const modules = [causal, cross].map((given) => {
    const shots = SHOTS.map((_, shot) => packedModule(given, HEADS, at(shot, sentence)));
    const codes = shots.flatMap((one) => [...one.codes.values]);
    return { ...shots[0], codes: tensor(Uint16Array.from(codes), SHOTS.length, codes.length / SHOTS.length) };
  });
  return { source: `sentence ${sentence}`, heads: HEADS, modules };
}

const packed: PackedFilm = {
  steps: 200,
  count: 7,
  unit: STEPS,
  curve: { steps: tensor(Int32Array.of(20, 100, 200)), losses: tensor(Float64Array.of(2, Number.NaN, 0.5)) },
  snapshots: {
    steps: tensor(Int32Array.from(SHOTS)),
    numbers: {
      valid_loss: tensor(Float64Array.of(4, Number.POSITIVE_INFINITY, 1, 0.4)),
      exact_match: tensor(Float64Array.of(0, 0.25, Number.NaN, 1)),
    },
  },
  sentences: [filmed(0), filmed(1)],
};
const film = new Film(packed);

test("the heads of each snapshot and sentence are its own", () => {
  assert.deepEqual(film.sentences, ["sentence 0", "sentence 1"]);
  for (const sentence of [0, 1]) {
    SHOTS.forEach((_, shot) => {
      const maps = film.mapsAt(sentence, shot);
      assert.ok(maps);
      assert.equal(maps, film.mapsAt(sentence, shot)); // so that what stays is not painted anew
      for (const [n, given] of [causal, cross].entries()) {
        for (let layer = 0; layer < given.layers; layer++) {
          for (let head = 0; head < HEADS; head++) {
            maps.modules[n].weightsOf(layer, head).forEach((value, cell) => {
              const [i, j] = [Math.floor(cell / given.keys.length), cell % given.keys.length];
              const expected = given.isAllowed(layer, i, j) ? at(shot, sentence)(layer, head, i, j) : 0;
              assert.ok(Math.abs(value - expected) < 1e-5, `${[sentence, shot, n, layer, head, i, j]}`);
            });
          }
        }
      }
    });
  }
  assert.equal(film.mapsAt(2, 0), null);
  assert.equal(new Film({ ...packed, sentences: [] }).mapsAt(0, 0), null);
});

test("a curve has every point that was measured, at its step and height, and gaps between the others", () => {
  assert.equal(highestLoss(film), 4);
  const height = (value: number) => 10 + (1 - value) * (168 - 10 - 34);
  const paths = Object.fromEntries(seriesOf(film).map(({ name, points }) => [name, pathOf(points, 200, WIDTH)]));
  const point = (step: number, value: number) => `${(46 + 2 * step).toFixed(1)} ${height(value).toFixed(1)}`;
  assert.deepEqual(paths, {
    training: `M${point(20, 0.5)}M${point(200, 0.125)}`,
    "held-out": `M${point(0, 1)}M${point(40, 0.25)}L${point(200, 0.1)}`,
    exact_match: `M${point(0, 0)}L${point(10, 0.25)}M${point(200, 1)}`,
  });
  assert.deepEqual(
    seriesOf(film).map(({ isShare }) => isShare),
    [false, false, true],
  );
  assert.equal(film.numberAt("exact_match", 1), 0.25);
  assert.ok(Number.isNaN(film.numberAt("token_accuracy", 1)));
});

test("the axes begin at the left and at the bottom", () => {
  assert.deepEqual([xOf(0, 200, WIDTH), xOf(200, 200, WIDTH)], [46, 446]);
  assert.ok(yOf(0) > yOf(1));
});

test("a click goes to the nearest snapshot", () => {
  const chosen = [0, 46, 55, 57, 95, 97, 285, 287, 900].map((x) => nearestSnapshot(film, x, WIDTH));
  assert.deepEqual(chosen, [0, 0, 0, 1, 1, 2, 2, 3, 3]);
});
