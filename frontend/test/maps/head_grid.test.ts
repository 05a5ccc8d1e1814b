// What is painted of all heads at a glance, held against the weights and scores that were sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { sequentialTo } from "../../src/kit/colour.ts";
import { layOutThumbnails, slotAt, slotBeside } from "../../src/maps/head_grid_layout.ts";
import { type Colouring, paintThumbnails } from "../../src/maps/head_grid_paint.ts";
import { headMaps } from "../../src/maps/maps.ts";
import { type RecordingCanvas, recordingContext } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { causal, cross, packedMaps, weight } from "./sent.ts";

const HEADS = 3;
const GIVEN = [causal, cross];
const { modules } = headMaps(packedMaps(GIVEN, HEADS));
const LOOK = { text: "#111", font: "serif", ratio: 1 };
const LABELS = {
  decoder_self: "Decoder",
  cross: "Cross",
  head_n: "head {head}",
  layer_n: "layer {layer}",
  short_place: "{layer}·{head}",
};
const scoreAt = (name: string, layer: number, head: number) =>
  name === "cross" && layer === 0 && head === 1 ? Number.NaN : 4 * weight(layer, head, name.length, 1);
const colouring: Colouring = {
  scale: sequentialTo(4),
  scoreOf: ({ name }, layer, head) => scoreAt(name, layer, head),
};

function painted(isSorted = false, scores: Colouring | null = null) {
  const ranks = isSorted
    ? ({
        decoder_self: [
          [1, 2],
          [0, 0],
        ],
        cross: [
          [2, 1],
          [0, 1],
        ],
      } as const)
    : null;
  const layout = layOutThumbnails(modules, 900, ranks, scores !== null);
  const context = recordingContext(layout.width, layout.height);
  paintThumbnails(context, layout, { look: LOOK, labels: LABELS, colouring: scores, isSorted });
  return { context, layout };
}

test("each thumbnail is its own head's, cell by cell, and clear where nothing may be attended to", () => {
  const { context, layout } = painted();
  const images = context.of("image");
  const slots = layout.blocks.flatMap((block) => block.slots);
  assert.equal(images.length, slots.length);
  assert.equal(slots.length, HEADS * (2 + 3));
  slots.forEach(({ module, layer, head, x, y }, n) => {
    const given = GIVEN.find(({ name }) => name === module.name);
    assert.ok(given);
    const image = images[n].image as RecordingCanvas;
    assert.deepEqual([image.width, image.height], [given.keys.length, given.queries.length]);
    const cell = layout.side / Math.max(given.keys.length, given.queries.length);
    assert.deepEqual(images[n].points, [
      [x, y],
      [x + given.keys.length * cell, y + given.queries.length * cell],
    ]);
    given.queries.forEach((_, i) => {
      given.keys.forEach((_key, j) => {
        const where = `${given.name} ${[layer, head, i, j]}`;
        const pixel = image.pixelAt(j, i);
        if (given.isAllowed(layer, i, j)) assertColour(pixel, weightColour(weight(layer, head, i, j)), where);
        assert.equal(pixel[3], given.isAllowed(layer, i, j) ? 255 : 0, where);
      });
    });
  });
});

test("hatching lies under every thumbnail, and only there", () => {
  const { context } = painted();
  const hatched = context.of("rect").filter(({ style }) => typeof style === "object");
  assert.deepEqual(
    hatched.map(({ points }) => points),
    context.of("image").map(({ points }) => points),
  );
});

test("rows are layers and columns heads, and their names stand there", () => {
  const { context, layout } = painted();
  for (const { module, x, slots } of layout.blocks) {
    for (const slot of slots) {
      assert.deepEqual([slot.row, slot.column], [slot.layer, slot.head]);
      const beside = slots.find((other) => other.layer === slot.layer && other.head === slot.head + 1);
      assert.ok(!beside || (beside.x >= slot.x + layout.side && beside.y === slot.y));
      const below = slots.find((other) => other.layer === slot.layer + 1 && other.head === slot.head);
      assert.ok(!below || (below.y >= slot.y + layout.side && below.x === slot.x));
    }
    const texts = context.of("text").filter(({ points: [[tx]] }) => tx >= x && tx < x + 900 / 2);
    const place = (text: string) => texts.find((one) => one.text === text)?.points[0];
    assert.deepEqual(place(LABELS[module.name as "cross"]), [x, 0]);
    for (const { layer, head, x: left, y: top } of slots.filter((one) => one.layer === 0 || one.head === 0)) {
      if (layer === 0) assert.deepEqual(place(`head ${head + 1}`), [left, top - 15]);
      if (head === 0) assert.deepEqual(place(`layer ${layer + 1}`), [x, top + 2]);
    }
  }
});

test("the strip under a head has the colour of its score, and the number beside it; none where there is no score", () => {
  const { context, layout } = painted(false, colouring);
  const strips = context.of("rect").filter(({ style }) => typeof style === "string");
  const slots = layout.blocks.flatMap((block) => block.slots);
  const scored = slots.filter(({ module, layer, head }) => !Number.isNaN(scoreAt(module.name, layer, head)));
  assert.equal(scored.length, slots.length - 1);
  assert.equal(strips.length, scored.length);
  scored.forEach(({ module, layer, head, x, y }, n) => {
    const score = scoreAt(module.name, layer, head);
    const [[left, top], [right]] = strips[n].points;
    assert.deepEqual([left, right], [x, x + layout.side]);
    assert.ok(top > y && top <= y + layout.side + 2);
    assertColour(strips[n].style, weightColour(score, 4), `${module.name} ${[layer, head]}`);
    const number = context.of("text").find(({ points: [[tx, ty]] }) => tx === x && ty > top);
    assert.equal(number?.text, score.toFixed(2));
  });
});

test("sorted, the heads stand in the order of their ranks and say which they are", () => {
  const { context, layout } = painted(true, colouring);
  const [first, second] = layout.blocks[0].slots;
  assert.deepEqual([first.layer, first.head, first.row, first.column], [1, 2, 0, 0]);
  assert.deepEqual([second.layer, second.head, second.row, second.column], [0, 0, 0, 1]);
  const at = (text: string) =>
    context
      .of("text")
      .filter((one) => one.text === text)
      .map(({ points: [[x]] }) => x);
  assert.deepEqual(at("2·3"), [first.x]);
  assert.deepEqual(at("1·1"), [second.x]);
  assert.equal(context.placeOf("head 1"), null);
});

test("modules with different numbers of heads have a slot for each, all of one size, by place and by rank", () => {
  const uneven = headMaps(packedMaps(GIVEN, [2, 5])).modules;
  const places = (layers: number, heads: number) =>
    Array.from({ length: layers * heads }, (_, n) => [Math.floor(n / heads), n % heads] as const);
  const ranks = { decoder_self: places(2, 2).toReversed(), cross: places(3, 5).toReversed() };
  for (const order of [null, ranks]) {
    for (const height of [430, Number.POSITIVE_INFINITY]) {
      const layout = layOutThumbnails(uneven, 900, order, true, height);
      const slots = layout.blocks.flatMap((block) => block.slots);
      const named = slots.map(({ module, layer, head }) => `${module.name} ${layer} ${head}`);
      assert.equal(new Set(named).size, 2 * 2 + 3 * 5);
      assert.equal(named.length, 2 * 2 + 3 * 5);
      assert.ok(named.includes("cross 2 4") && !named.includes("decoder_self 0 2"));
      assert.equal(new Set(slots.map(({ x, y }) => `${x} ${y}`)).size, slots.length);
      for (const { x, y } of slots) assert.ok(x + layout.side <= layout.width && y + layout.side <= layout.height);
    }
  }
});

test("where the height is given the heads fill it: layers stand side by side where that makes them larger", () => {
  const within = layOutThumbnails(modules, 900, null, true, 430);
  const free = layOutThumbnails(modules, 900, null, true);
  assert.ok(within.height <= 430 && within.width <= 900);
  const slots = within.blocks.flatMap((block) => block.slots);
  assert.equal(slots.length, HEADS * (2 + 3));
  slots.forEach((slot, n) => {
    for (const other of slots.slice(n + 1)) {
      const isApart = Math.abs(slot.x - other.x) >= within.side || Math.abs(slot.y - other.y) >= within.side;
      assert.ok(isApart, `${slot.module.name} ${[slot.layer, slot.head]} and ${[other.layer, other.head]}`);
    }
  });
  assert.ok(free.height > 0);
  // Beside each layer stands its name.
  const context = recordingContext(within.width, within.height);
  paintThumbnails(context, within, { look: LOOK, labels: LABELS, colouring: null, isSorted: false });
  const names = context.of("text").filter(({ text }) => text.startsWith("layer"));
  const firsts = slots.filter(({ head }) => head === 0);
  assert.deepEqual(
    names.map(({ text, points: [[x, y]] }) => [text, x, y]),
    firsts.map(({ layer, x, y }) => [`layer ${layer + 1}`, x - 48, y + 2]),
  );
});

test("144 heads are all on a projector's screen, small and without numbers; sorted, they are scrolled", () => {
  const large = ["encoder_self", "decoder_self", "cross"].map((name) => ({ name, layers: 6, heads: 8 }));
  const ranks = Object.fromEntries(
    large.map(({ name }) => [name, Array.from({ length: 48 }, (_, n) => [n >> 3, n & 7] as const)]),
  );
  const all = layOutThumbnails(large, 780, null, true, 456); // the room on a screen of 1280 × 720
  assert.ok(all.height <= 456 && all.width <= 780, `${all.width} × ${all.height}`);
  assert.ok(all.side >= 20 && !all.hasCaptions);
  const slots = all.blocks.flatMap((block) => block.slots);
  assert.equal(new Set(slots.map(({ x, y }) => `${x} ${y}`)).size, 144);
  const sorted = layOutThumbnails(large, 780, ranks, true, 456);
  assert.ok(sorted.height > 456 && sorted.side >= 64 && sorted.hasCaptions);
  const few = layOutThumbnails(modules, 900, null, true, 430);
  assert.ok(few.hasCaptions);
});

test("a point belongs to the head under it, and an arrow leads to the head beside, over the border of a module", () => {
  const { layout } = painted();
  const slots = layout.blocks.flatMap((block) => block.slots);
  for (const slot of slots) {
    assert.equal(slotAt(layout, slot.x + 1, slot.y + 1), slot);
    assert.equal(slotAt(layout, slot.x + layout.side - 1, slot.y + layout.side - 1), slot);
  }
  assert.equal(slotAt(layout, 2, 2), null);
  const at = (name: string, layer: number, head: number) => {
    const found = slots.find((slot) => slot.module.name === name && slot.layer === layer && slot.head === head);
    assert.ok(found);
    return found;
  };
  assert.equal(slotBeside(layout, at("decoder_self", 1, 2), [1, 0]), at("cross", 1, 0));
  assert.equal(slotBeside(layout, at("cross", 1, 0), [-1, 0]), at("decoder_self", 1, 2));
  assert.equal(slotBeside(layout, at("cross", 1, 1), [0, 1]), at("cross", 2, 1));
  assert.equal(slotBeside(layout, at("cross", 1, 1), [0, -1]), at("cross", 0, 1));
  assert.equal(slotBeside(layout, at("cross", 2, 1), [0, 1]), at("cross", 2, 1));
});
