// What comes out of the bytes of all heads: each weight where it was put.

import assert from "node:assert/strict";
import { test } from "node:test";
import { headMaps, matrixOf, moduleOf } from "../../src/maps/maps.ts";
import { causal, cross, packedMaps, weight } from "./sent.ts";

const HEADS = 3;
const maps = headMaps(packedMaps([causal, cross], HEADS));
const uneven = headMaps(packedMaps([causal, cross], [5, 2])); // as an encoder and a decoder may be

test("every weight of every head and layer is in its cell, and none where nothing may be attended to", () => {
  for (const [n, given, of] of [maps, uneven].flatMap((of) =>
    [causal, cross].map((given, n) => [n, given, of] as const),
  )) {
    const module = of.modules[n];
    assert.equal(module.heads, of === maps ? HEADS : [5, 2][n]);
    for (let layer = 0; layer < given.layers; layer++) {
      for (let head = 0; head < module.heads; head++) {
        const matrix = matrixOf(module, layer, head);
        assert.deepEqual([matrix.layer, matrix.head], [layer, head]);
        assert.equal(matrix.values.length, given.queries.length * given.keys.length);
        given.queries.forEach((_, i) => {
          given.keys.forEach((_key, j) => {
            const cell = i * given.keys.length + j;
            const isAllowed = given.isAllowed(layer, i, j);
            const expected = isAllowed ? weight(layer, head, i, j) : 0;
            assert.ok(Math.abs(matrix.values[cell] - expected) < 1e-5, `${given.name} ${[layer, head, i, j]}`);
            assert.equal(matrix.mask[cell], Number(isAllowed));
          });
        });
      }
    }
  }
});

test("a head's weights are the same array each time, so that a figure sees that nothing changed", () => {
  const [module] = maps.modules;
  assert.equal(module.weightsOf(1, 2), module.weightsOf(1, 2));
  assert.notEqual(module.weightsOf(1, 2), module.weightsOf(1, 1));
  assert.notEqual(module.weightsOf(1, 2), module.weightsOf(0, 2));
});

test("a view names its module", () => {
  assert.equal(moduleOf(maps.modules, { module: "cross" }), maps.modules[1]);
});
