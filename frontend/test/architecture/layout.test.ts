// Figure 1 of the paper: who stands above whom, and what arrows join.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrows, FRAMES, HEIGHT, PLACES, PLUSES, WIDTH } from "../../src/architecture/layout.ts";

const place = (id: string) => {
  const found = PLACES.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
};

// From the input up, as the paper draws them.
const ENCODER = ["source", "encoder_self", "encoder_add_self", "encoder_ffn", "encoder_add_ffn", "memory"];
const DECODER = [
  "target",
  "decoder_self",
  "decoder_add_self",
  "cross",
  "decoder_add_cross",
  "decoder_ffn",
  "decoder_add_ffn",
  "linear",
  "softmax",
];

test("each stack is in the order of the computation, upwards, and no box covers another", () => {
  for (const stack of [ENCODER, DECODER]) {
    const boxes = stack.map(place);
    for (let n = 1; n < boxes.length; n++) {
      assert.ok(boxes[n].y + boxes[n].height < boxes[n - 1].y, `${stack[n]} above ${stack[n - 1]}`);
      const [middle, below] = [boxes[n], boxes[n - 1]].map(({ x, width }) => x + width / 2);
      assert.equal(middle, below);
    }
  }
  assert.deepEqual(
    PLACES.map(({ id }) => id).sort(),
    [...ENCODER, ...DECODER, "source_positions", "target_positions"].sort(),
  );
  for (const { x, y, width, height } of PLACES) {
    assert.ok(x >= 0 && y >= 0 && x + width <= WIDTH && y + height <= HEIGHT);
  }
});

test("a stack's frame is around its layer and nothing else", () => {
  for (const { stack, x, y, width, height } of FRAMES) {
    for (const box of PLACES) {
      const isInside = box.x >= x && box.x + box.width <= x + width && box.y >= y && box.y + box.height <= y + height;
      assert.equal(
        isInside,
        new RegExp(`^(${stack}_|cross)`).test(box.id) && (box.id !== "cross" || stack === "decoder"),
      );
    }
  }
});

test("attention has the hue of its module", () => {
  const hues = PLACES.filter(({ hue }) => hue !== "plain").map(({ id, hue }) => [id, hue]);
  assert.deepEqual(Object.fromEntries(hues), { encoder_self: "encoder", decoder_self: "decoder", cross: "cross" });
});

// The points of a path of M, H and V.
function corners(d: string): [number, number][] {
  const points: [number, number][] = [];
  for (const [, letter, first, second] of d.matchAll(/([MHV])([\d.]+)(?: ([\d.]+))?/g)) {
    const [x, y] = points.at(-1) ?? [0, 0];
    points.push(
      letter === "M" ? [Number(first), Number(second)] : letter === "H" ? [Number(first), y] : [x, Number(first)],
    );
  }
  return points;
}

// The box, or "plus", whose edge a point is at; "" in between.
function touched([x, y]: readonly [number, number]): string {
  const far = PLACES.map((box): [string, number] => {
    const [dx, dy] = [Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height)];
    return [box.id, Math.hypot(dx, dy)];
  });
  far.push(...PLUSES.map(([cx, cy]): [string, number] => ["plus", Math.abs(Math.hypot(cx - x, cy - y) - 9)]));
  const [name, distance] = far.sort((one, other) => one[1] - other[1])[0];
  return distance <= 2 ? name : "";
}

const ALL = arrows(PLACES.map(({ id }) => id));

test("arrows lead from box to box, the memory to the cross-attention, residual connections around a sub-layer", () => {
  const joined = ALL.map((d) => {
    const points = corners(d);
    return `${touched(points[0])} > ${touched(points[points.length - 1])}`;
  });
  for (const stack of [ENCODER, DECODER]) {
    stack.slice(2).forEach((id, n) => assert.ok(joined.includes(`${stack[n + 1]} > ${id}`), `${stack[n + 1]} > ${id}`));
    assert.ok(joined.includes(`${stack[0]} > plus`));
    assert.ok(joined.includes(`plus > ${stack[1]}`));
  }
  for (const line of ["memory > cross", "source_positions > plus", "target_positions > plus"]) {
    assert.ok(joined.includes(line), line);
  }
  const round = ALL.filter((d) => / H\d+ V\d+ H\d+/.test(d)).map((d) => corners(d));
  const ends = round.map((points) => touched(points[points.length - 1]));
  for (const id of [...ENCODER, ...DECODER].filter((name) => name.includes("_add_"))) {
    assert.ok(ends.includes(id), `around to ${id}`);
  }
});

test("where a model lacks a box, the arrow goes on to the next, and none leads around what is not there", () => {
  const ids = PLACES.map(({ id }) => id).filter((id) => !id.includes("ffn"));
  const paths = arrows(ids);
  const from = place("decoder_add_cross").y;
  const { y, height } = place("linear");
  assert.ok(paths.includes(`M364 ${from} V${y + height}`));
  assert.equal(paths.filter((d) => / H\d+ V\d+ H\d+/.test(d)).length, 4); // three residual connections, and the memory
});
