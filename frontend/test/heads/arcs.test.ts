// The arcs of a layer, held against the weights that were sent: which there are, where they lie, what is lit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arcsOf, headsOf, hiddenBelow } from "../../src/heads/arcs_drawn.ts";
import { type ArcsLayout, layOutArcs, tokenAt } from "../../src/heads/arcs_layout.ts";
import { paintLit, paintTokens } from "../../src/heads/arcs_paint.ts";
import { arcsImages } from "../../src/heads/arcs_raster.ts";
import { namedRows } from "../../src/heads/rows.ts";
import type { Token } from "../../src/heads/view.ts";
import { headMaps } from "../../src/maps/maps.ts";
import { type RecordingCanvas, recordingContext } from "../canvas.ts";
import { assertColour, HEADS } from "../colours.ts";
import { causal, cross, packedMaps, STEPS, weight } from "../maps/sent.ts";

const COUNT = 4; // heads
const LAYER = 1;
const { modules } = headMaps(packedMaps([causal, cross], COUNT));
const [, module] = modules;
const LOOK = { text: "#111", accent: "#00f", font: "serif", isDark: false };
const SHOWN = [0, 2, 3];
const layout = layOutArcs(module, SHOWN.length, 900, "serif", true);
const { arcs } = layout;
const near = (actual: number, expected: number, where: string, by = 1e-4) =>
  assert.ok(Math.abs(actual - expected) <= by, `${where}: ${actual} and not ${expected}`);
const rowOf = (place: number) => (place + 0.5) * layout.rowHeight;

test("there is an arc for each cell that may be attended to, from its query to its key", () => {
  const drawn = arcsOf(module, LAYER, layout);
  const expected = cross.queries.flatMap((_, i) =>
    cross.keys.flatMap((_key, j) => (cross.isAllowed(LAYER, i, j) ? [[i, j] as const] : [])),
  );
  assert.ok(expected.length < cross.queries.length * cross.keys.length);
  assert.deepEqual(
    drawn.cells,
    expected.map(([i, j]) => i * cross.keys.length + j),
  );
  assert.deepEqual(
    drawn.starts,
    expected.map(([i]) => rowOf(i)),
  );
  assert.deepEqual(
    drawn.ends,
    expected.map(([, j]) => rowOf(j)),
  );
});

test("of a token only its own arcs are there", () => {
  for (const [token, isOwn] of [
    [["query", 2], (i: number) => i === 2],
    [["key", 1], (_: number, j: number) => j === 1],
  ] as const) {
    const { cells } = arcsOf(module, LAYER, layout, token);
    const expected = cross.queries.flatMap((_, i) =>
      cross.keys.flatMap((_key, j) => (cross.isAllowed(LAYER, i, j) && isOwn(i, j) ? [3 * i + j] : [])),
    );
    assert.deepEqual(cells, expected);
  }
});

test("each head has its own weights and colour, and its lines lie beside those of the others", () => {
  const heads = headsOf(module, LAYER, SHOWN, layout.rowHeight, false);
  heads.forEach(({ codes, colour, shift }, n) => {
    assert.deepEqual(colour, HEADS[SHOWN[n]]);
    near(shift, 2.5 * (n - 1), `head ${SHOWN[n]}`);
    cross.queries.forEach((_, i) => {
      cross.keys.forEach((_key, j) => {
        const expected = cross.isAllowed(LAYER, i, j) ? weight(LAYER, SHOWN[n], i, j) : 0;
        near(codes[3 * i + j] / STEPS, expected, `head ${SHOWN[n]}, ${[i, j]}`);
      });
    });
  });
});

test("a threshold hides the weights below it, and says how much of all weight they are", () => {
  const heads = headsOf(module, LAYER, SHOWN, layout.rowHeight, false);
  const weights = SHOWN.flatMap((head) =>
    cross.queries.flatMap((_, i) =>
      cross.keys.flatMap((_key, j) => (cross.isAllowed(LAYER, i, j) ? [weight(LAYER, head, i, j)] : [])),
    ),
  );
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const least = weights[3]; // which is shown itself
  const [count, share] = hiddenBelow(Math.round(least * STEPS), heads);
  const hidden = weights.filter((one) => one < least);
  assert.ok(hidden.length > 0 && hidden.length < weights.length - 1);
  assert.equal(count, weights.length - hidden.length);
  near(share, sum(hidden) / sum(weights), "share", 1e-9);
});

test("a line is as opaque as its weight, and goes from the row of its query to that of its key", () => {
  const codes = new Uint16Array([0.6 * STEPS]);
  const one = { cells: [0], unit: STEPS, least: 1, count: 1, starts: [30], ends: [110] };
  const [image] = arcsImages({ ...one, heads: [{ codes, colour: [10, 20, 200], shift: 5 }] }, 200, 160, 1);
  const canvas = image as unknown as RecordingCanvas;
  assert.deepEqual([canvas.width, canvas.height], [200, 160]);
  for (const x of [0, 60, 100, 140, 199]) {
    const t = (x + 0.5) / 200;
    const expected = 30 + 5 + 80 * (3 * t * t - 2 * t ** 3); // from 30 to 110, shifted by 5
    const column = Array.from({ length: 160 }, (_, y) => canvas.pixelAt(x, y));
    const opacity = column.map(([, , , alpha]) => alpha / 255);
    const all = opacity.reduce((a, b) => a + b, 0);
    const centre = opacity.reduce((a, alpha, y) => a + alpha * (y + 0.5), 0) / all;
    near(centre, expected, `column ${x}`, 0.2);
    const slope = (80 * 6 * t * (1 - t)) / 200;
    near(all, 0.6 * (1.5 + slope), `ink in column ${x}`, 0.03); // 1.5 thick, and steep ones cover more of a column
    column
      .filter(([, , , alpha]) => alpha > 20)
      .forEach((pixel) => assertColour(pixel.slice(0, 3), [10, 20, 200], "line"));
  }
});

// An arc from y = 30 to 110: its y at t, which goes from 0 to 1 across, and its slope in pixels down per pixel across.
const heightAt = (t: number) => 30 + 80 * (3 * t * t - 2 * t ** 3);
const steepAt = (t: number, width: number) => (80 * (6 * t - 6 * t * t)) / width;
const inkOf = (column: readonly (readonly number[])[]) => {
  const opacity = column.map(([, , , alpha]) => alpha / 255);
  const all = opacity.reduce((a, b) => a + b, 0);
  return { all, centre: opacity.reduce((a, alpha, y) => a + alpha * (y + 0.5), 0) / all };
};

test("on a sharper screen a line is where it was, and has as much ink", () => {
  const codes = new Uint16Array([0.6 * STEPS]);
  const one = { cells: [0], unit: STEPS, least: 1, count: 1, starts: [30], ends: [110] };
  const [image] = arcsImages({ ...one, heads: [{ codes, colour: [10, 20, 200], shift: 0 }] }, 200, 160, 2);
  const canvas = image as unknown as RecordingCanvas;
  assert.deepEqual([canvas.width, canvas.height], [400, 320]);
  for (const x of [0, 120, 200, 280, 399]) {
    const t = (x + 0.5) / 400;
    const { all, centre } = inkOf(Array.from({ length: 320 }, (_, y) => canvas.pixelAt(x, y)));
    near(centre / 2, heightAt(t), `column ${x}`, 0.2);
    near(all, 0.6 * (2 * 1.5 + steepAt(t, 200)), `ink of column ${x}`, 0.05);
  }
});

test("as haze an arc is where its line would be, in its colour, and has as much ink", () => {
  const codes = new Uint16Array([0.6 * STEPS]);
  const one = { cells: [0], unit: STEPS, least: 1, count: 1, starts: [30], ends: [110] };
  const [image] = arcsImages({ ...one, heads: [{ codes, colour: [16, 32, 192], shift: 0 }] }, 320, 160, 1, true);
  const canvas = image as unknown as RecordingCanvas;
  assert.deepEqual([canvas.width, canvas.height], [20, 160]);
  for (let x = 1; x < 19; x++) {
    const t = (x + 0.5) / 20;
    const column = Array.from({ length: 160 }, (_, y) => canvas.pixelAt(x, y));
    const { all, centre } = inkOf(column);
    near(centre, heightAt(t), `column ${x}`, 1);
    const expected = 0.6 * (1.5 + steepAt(t, 320));
    near(all / expected, 1, `ink of column ${x}`, 0.1);
    column
      .filter(([, , , alpha]) => alpha > 0)
      .forEach((pixel) => assertColour(pixel.slice(0, 3), [16, 32, 192], `column ${x}`));
  }
});

test("of very many arcs the strong ones are lines and the weak ones haze, none both", () => {
  const codes = new Uint16Array([0.1 * STEPS, 0.4 * STEPS]);
  const arcs = { cells: [0, 1], unit: STEPS, least: 1, starts: [30, 90], ends: [30, 90] };
  const heads = [{ codes, colour: [10, 20, 200], shift: 0 }];
  const inkAt = (image: OffscreenCanvas, y: number) => {
    const canvas = image as unknown as RecordingCanvas;
    return inkOf(Array.from({ length: 20 }, (_, n) => canvas.pixelAt(Math.floor(canvas.width / 2), y - 10 + n))).all;
  };
  const [haze, lines] = arcsImages({ ...arcs, heads, count: 3001 }, 320, 120, 1);
  near(inkAt(haze, 30), 0.15, "the weak one", 0.02);
  near(inkAt(lines, 90), 0.6, "the strong one", 0.02);
  assert.deepEqual([inkAt(haze, 90), inkAt(lines, 30)], [0, 0]);
  assert.equal(arcsImages({ ...arcs, heads, count: 3000 }, 320, 120, 1).length, 1); // all of them lines
});

test("an arc is drawn from the threshold on", () => {
  const codes = new Uint16Array([3000, 2999]);
  const arcs = { cells: [0, 1], unit: STEPS, least: 3000, count: 1, starts: [20, 60], ends: [20, 60] };
  const heads = [{ codes, colour: [10, 20, 200], shift: 0 }];
  const [image] = arcsImages({ ...arcs, heads }, 20, 80, 1) as unknown as RecordingCanvas[];
  assert.ok(image, "one arc is there");
  assert.ok(image.pixelAt(10, 20)[3] > 0);
  assert.equal(image.pixelAt(10, 60)[3], 0);
  assert.deepEqual(hiddenBelow(3000, heads), [1, 1 - 3000 / 5999]);
});

test("each token stands in its row on its own side, and the lit one has a frame", () => {
  const lit: Token = ["key", 1];
  const context = recordingContext(layout.width, layout.height);
  paintTokens(context, layout, module, lit, LOOK, { query: "Queries", key: "Keys" });
  const texts = context.of("text");
  for (const [side, tokens] of [
    ["query", cross.queries],
    ["key", cross.keys],
  ] as const) {
    const own = texts.filter(
      ({ points: [[x]], align }) =>
        (side === "query" ? x <= arcs.x : x >= arcs.x + arcs.width) && align === (side === "query" ? "right" : "left"),
    );
    tokens.forEach((token, place) => {
      const y = arcs.y + rowOf(place);
      assert.ok(
        own.some(({ text, points: [[, ty]] }) => text === token && ty === y),
        `${side} ${place} ${token}`,
      );
      assert.ok(
        own.some(({ text, points: [[, ty]] }) => text === String(place + 1) && ty === y + 1),
        `${side} ${place}`,
      );
    });
  }
  const frames = context.of("outline");
  assert.equal(frames.length, 1);
  const [[left, top], [right, bottom]] = frames[0].points;
  assert.ok(left >= arcs.x + arcs.width && right > left);
  assert.deepEqual([top, bottom], [arcs.y + layout.rowHeight + 1, arcs.y + 2 * layout.rowHeight - 1]);
  assert.equal(frames[0].style, LOOK.accent);
});

test("a row of the decoder goes by what it writes, and what it has read stands before that, fainter", () => {
  const context = recordingContext(layout.width, layout.height);
  paintTokens(context, layout, module, null, LOOK, { query: "is writing", read: "has read", key: "Keys" });
  const texts = context.of("text");
  cross.predicted?.forEach((written, place) => {
    const y = arcs.y + rowOf(place);
    const inRow = texts.filter(({ points: [[x, ty]] }) => ty === y && x < arcs.x);
    assert.deepEqual(
      inRow.sort((a, b) => a.points[0][0] - b.points[0][0]).map(({ text }) => text),
      [cross.queries[place], written],
    );
    assert.ok(inRow[0].alpha < inRow[1].alpha);
  });
});

test("of a long text all rows fit, those with the largest weights have a text, and no two texts meet", () => {
  const many = Array.from({ length: 120 }, (_, n) => `t${n}`);
  const long = layOutArcs({ queries: many, keys: many, predicted: [] }, 1, 900, "serif", true, 460);
  assert.ok(long.height <= 460 && long.isDense);
  const named = [...namedRows(120, long.rowHeight, [7, 8, 90])].sort((a, b) => a - b);
  assert.ok(named.includes(7) && named.includes(90) && !named.includes(8)); // 8 is too near to 7, which comes first
  named.slice(1).forEach((place, n) => assert.ok((place - named[n]) * long.rowHeight >= 13));
  const near = layOutArcs({ queries: many, keys: many, predicted: [] }, 1, 900, "serif", true, 460, 1);
  assert.equal(near.rowHeight, 26);
  assert.equal(namedRows(120, near.rowHeight).size, 120);
});

test("beside a lit token each token of the other side has its weights, head by head", () => {
  for (const lit of [
    ["query", 2],
    ["key", 1],
  ] as const) {
    const context = recordingContext(layout.width, layout.height);
    paintLit(context, layout, module, LAYER, SHOWN, lit, LOOK, { head_n: "head {head}" });
    const boxes = context.of("rect");
    const numbers = context.of("text").filter(({ text }) => /^\d\.\d{4}$/.test(text));
    const others = lit[0] === "query" ? cross.keys : cross.queries;
    const expected = SHOWN.flatMap((head, n) =>
      [...others.keys()].flatMap((other) => {
        const [i, j] = lit[0] === "query" ? [lit[1], other] : [other, lit[1]];
        return cross.isAllowed(LAYER, i, j) ? [{ head, n, other, value: weight(LAYER, head, i, j) }] : [];
      }),
    );
    assert.ok(expected.length < SHOWN.length * others.length);
    assert.equal(boxes.length, expected.length);
    assert.equal(numbers.length, expected.length);
    const columns = new Map<number, number>(); // head's place -> where its numbers stand
    expected.forEach(({ head, n, other, value }, at) => {
      const where = `${lit} ${[head, other]}`;
      near(boxes[at].alpha, 0.75 * value, where);
      assertColour(boxes[at].style, HEADS[head], where);
      const [[left, top], [right, bottom]] = boxes[at].points;
      assert.ok(lit[0] === "query" ? left >= arcs.x + arcs.width : right <= arcs.x, where);
      near((top + bottom) / 2, arcs.y + rowOf(other), where);
      near(left - boxes[0].points[0][0], n * (right - left), `${where}: its place`, 1e-9);
      assert.equal(numbers[at].text, value.toFixed(4), where);
      const [[x, y]] = numbers[at].points;
      near(y, arcs.y + rowOf(other), where);
      assert.equal(columns.get(n) ?? x, x, where);
      columns.set(n, x);
    });
    SHOWN.forEach((head, n) => assert.equal(context.placeOf(`head ${head + 1}`)?.[0], columns.get(n)));
    assert.equal(new Set(columns.values()).size, SHOWN.length);
  }
});

test("a point belongs to the token of its row, on the side where it is", () => {
  const at = (layoutOf: ArcsLayout, x: number, place: number) => tokenAt(layoutOf, x, layoutOf.arcs.y + rowOf(place));
  assert.deepEqual(at(layout, arcs.x - 20, 3), ["query", 3]);
  assert.deepEqual(at(layout, arcs.x + 1, 0), ["query", 0]);
  assert.deepEqual(at(layout, arcs.x + arcs.width - 1, 2), ["key", 2]);
  assert.equal(at(layout, arcs.x + arcs.width + 20, 3), null); // there is no fourth key
  assert.equal(tokenAt(layout, arcs.x, arcs.y - 1), null);
});
