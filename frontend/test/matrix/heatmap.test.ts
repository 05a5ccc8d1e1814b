// What is painted of a matrix, held cell by cell against the numbers: a slip in a colour, an axis or an index shows here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergingTo, plain, type Scale, sequentialTo } from "../../src/kit/colour.ts";
import { hasOdd, imageOf, paintCursor, paintMatrix, paintStep } from "../../src/matrix/heatmap.ts";
import { cellAt } from "../../src/matrix/layout.ts";
import type { Geometry, Matrix } from "../../src/matrix/matrix.ts";
import { type Painted, type Point, type RecordingCanvas, recordingContext } from "../canvas.ts";

// Rows, columns and places of different sizes, so that whatever is swapped shows.
const ROWS = ["<s>", "$x$", "世界", "d"];
const COLUMNS = ["a", "b", "b", "👋", "e"];
const ENDS = ["$x$", "世界", "d", "</s>"];
// biome-ignore format: a matrix
const VALUES = [
  0.0, 0.25, 0.5, 0.75, 1.0,
  0.1, 0.2, 0.3, 0.4, 0.0,
  0.9, 0.05, 0.0, 0.05, 0.0,
  0.6, 0.0, 0.4, 0.0, 0.0,
];
// biome-ignore format: a matrix
const MASK = [
  1, 0, 0, 1, 1,
  1, 1, 0, 0, 0,
  1, 1, 1, 0, 1,
  1, 1, 1, 1, 1,
];
const PLACE: Geometry = {
  cellWidth: 40,
  cellHeight: 20,
  left: 100,
  top: 70,
  right: 60,
  room: 400,
  slant: Math.PI / 3,
  fontSize: 12,
  labelMax: 80,
  indexWidth: 12,
  everyRow: 1,
  everyColumn: 1,
};
const LOOK = { text: "#111", background: "#fff", hue: "#0a0", accent: "#00f", font: "serif", ratio: 2 };
const AXES = ["query", "key", "predicts"] as const;

function matrix(changes: Partial<Matrix> = {}): Matrix {
  return {
    rowLabels: ROWS,
    columnLabels: COLUMNS,
    rowEnds: ENDS,
    values: Float32Array.from(VALUES),
    mask: Uint8Array.from(MASK),
    scale: sequentialTo(1),
    ...changes,
  };
}

function painted(shown: Matrix, place: Geometry = PLACE) {
  const context = recordingContext();
  paintMatrix(context, shown, place, LOOK, AXES);
  return context;
}

// The scale as the legend shows it: colours at equal distances, and between them a mixture.
function colourAt(scale: Scale, value: number): number[] {
  const [low, high] = [scale.ticks[0], scale.ticks[scale.ticks.length - 1]];
  const at = ((value - low) / (high - low)) * (scale.stops.length - 1);
  const below = Math.min(Math.floor(at), scale.stops.length - 2);
  const channels = (n: number) => [...scale.stops[n][1].matchAll(/\d+/g)].map(Number);
  return channels(below).map((channel, c) => channel + (at - below) * (channels(below + 1)[c] - channel));
}

function assertColour(actual: readonly number[], expected: readonly number[], where: string): void {
  assert.equal(actual[3], 255, `${where} is painted`);
  expected.forEach((channel, c) => {
    assert.ok(Math.abs(actual[c] - channel) <= 2, `${where}: ${actual} and not ${expected.map(Math.round)}`);
  });
}

const corners = (row: number, column: number, rows = 1, columns = 1): Point[] => [
  [100 + 40 * column, 70 + 20 * row],
  [100 + 40 * (column + columns), 70 + 20 * (row + rows)],
];
const near = (a: Point, b: Point) => Math.hypot(a[0] - b[0], a[1] - b[1]) < 1e-6;

for (const [name, scale, values] of [
  ["weights", sequentialTo(1), VALUES],
  ["scores", divergingTo(3, false), VALUES.map((value) => 6 * value - 3)],
  ["scores on a dark page", divergingTo(3, true), VALUES.map((value) => 6 * value - 3)],
] as const) {
  test(`each cell of ${name} has the legend's colour of its own number, a masked one none`, () => {
    const image = imageOf(matrix({ scale, values: Float32Array.from(values) })) as unknown as RecordingCanvas;
    assert.deepEqual([image.width, image.height], [5, 4]);
    values.forEach((value, n) => {
      const pixel = image.pixelAt(n % 5, Math.floor(n / 5));
      if (MASK[n]) assertColour(pixel, colourAt(scale, value), `row ${Math.floor(n / 5)}, column ${n % 5}`);
      else assert.equal(pixel[3], 0);
    });
  });
}

test("the picture of the cells lies exactly between the labels", () => {
  const [image] = painted(matrix()).of("image");
  assert.deepEqual(image.points, corners(0, 0, 4, 5));
  assert.ok(image.image);
});

test("exactly the masked cells are hatched", () => {
  const hatched = painted(matrix()).of("fill")[0];
  assert.ok((hatched.style as { pattern: unknown }).pattern, "with a pattern, no colour of the scale");
  const cells = new Set<string>();
  for (let n = 0; n < hatched.points.length; n += 2) {
    const [[left, top], [right, bottom]] = hatched.points.slice(n, n + 2);
    for (let x = left; x < right; x += 40) for (let y = top; y < bottom; y += 20) cells.add(`${x},${y}`);
  }
  const expected = MASK.flatMap((allowed, n) => (allowed ? [] : [`${corners(Math.floor(n / 5), n % 5)[0]}`]));
  assert.deepEqual([...cells].sort(), expected.sort());
});

test("each cell holds its own digits, in the middle and readable on its colour", () => {
  const context = painted(matrix());
  const texts = context.of("text").filter(({ align }) => align === "center");
  assert.equal(texts.length, MASK.filter(Boolean).length);
  VALUES.forEach((value, n) => {
    const middle: Point = [100 + 40 * ((n % 5) + 0.5), 70 + 20 * (Math.floor(n / 5) + 0.5)];
    const here = texts.filter(({ points }) => near(points[0], middle));
    assert.deepEqual(
      here.map(({ text }) => text),
      MASK[n] ? [value.toFixed(2)] : [],
    );
    const [red, green, blue] = colourAt(sequentialTo(1), value);
    const isLight = 0.299 * red + 0.587 * green + 0.114 * blue > 124;
    if (MASK[n]) assert.equal(here[0].style, isLight ? "#000000" : "#ffffff", `on ${value}`);
  });
});

test("masked cells show their numbers where they are asked to, on the page's colour", () => {
  const whole = { values: Float32Array.from(MASK, (allowed) => 1 - allowed), isWhole: true, hasMaskedNumbers: true };
  const context = painted(matrix(whole));
  const texts = context.of("text").filter(({ align }) => align === "center");
  assert.equal(texts.length, MASK.length);
  MASK.forEach((allowed, n) => {
    const middle: Point = [100 + 40 * ((n % 5) + 0.5), 70 + 20 * (Math.floor(n / 5) + 0.5)];
    const [here] = texts.filter(({ points }) => near(points[0], middle));
    assert.equal(here.text, allowed ? "0" : "1");
    if (!allowed) assert.equal(here.style, LOOK.text);
  });
});

test("whole numbers have nothing after a point, and small cells no digits", () => {
  const whole = painted(matrix({ values: Float32Array.from(MASK), scale: plain(false), isWhole: true }));
  assert.deepEqual(
    new Set(
      whole
        .of("text")
        .filter(({ align }) => align === "center")
        .map(({ text }) => text),
    ),
    new Set(["1"]),
  );
  const small = painted(matrix(), { ...PLACE, cellWidth: 20 });
  assert.equal(small.of("text").filter(({ align }) => align === "center").length, 0);
});

test("what is no finite number is shaded, in its cell, and named there", () => {
  const values = Float32Array.from(VALUES);
  values[7] = Number.NaN; // masked: row 1, column 2
  values[11] = Number.NaN; // row 2, column 1
  values[15] = -Infinity; // row 3, column 0
  const odd = matrix({ values });
  assert.ok(hasOdd(odd));
  assert.ok(!hasOdd(matrix()));
  const context = painted(odd);
  const shaded = context.of("rect").filter(({ alpha }) => alpha < 0.3);
  assert.deepEqual(
    shaded.map(({ points }) => points),
    [corners(2, 1), corners(3, 0)],
  );
  assert.deepEqual(context.placeOf("NaN"), [100 + 40 * 1.5, 70 + 20 * 2.5]);
  assert.deepEqual(context.placeOf("−∞"), [100 + 40 * 0.5, 70 + 20 * 3.5]);
});

test("each row and each column is labelled with its own token and its place from 1", () => {
  const texts = painted(matrix({ rowEnds: [] })).of("text");
  ROWS.forEach((token, i) => {
    const middle = 70 + 20 * (i + 0.5);
    const label = texts.find(
      ({ text, align, points }) => text === token && align === "right" && near(points[0], [100 - 5 - 12, middle]),
    );
    assert.ok(label, `row ${i}: ${token}`);
    assert.ok(
      texts.some(({ text, points }) => text === String(i + 1) && near(points[0], [95, middle + 1])),
      `${i + 1}`,
    );
  });
  COLUMNS.forEach((token, j) => {
    // Turned by the slant around the foot of the column, then along the label.
    const foot: Point = [100 + 40 * (j + 0.5), 65];
    const along = (by: number): Point => [foot[0] + by * Math.cos(PLACE.slant), foot[1] - by * Math.sin(PLACE.slant)];
    assert.ok(
      texts.some(({ text, points }) => text === token && near(points[0], along(12))),
      `column ${j}: ${token}`,
    );
    const beside: Point = [foot[0] + Math.sin(PLACE.slant), foot[1] + Math.cos(PLACE.slant)];
    assert.ok(
      texts.some(({ text, points }) => text === String(j + 1) && near(points[0], beside)),
      `${j + 1}`,
    );
  });
});

test("where there is no room for all, every n-th row and column has its label", () => {
  const texts = painted(matrix({ rowEnds: [] }), { ...PLACE, everyRow: 3, everyColumn: 2 }).of("text");
  const places = texts.filter(({ font }) => font.startsWith("10.5px")).map(({ text }) => text);
  assert.deepEqual(places, ["1", "3", "5", "1", "4"]); // columns, then rows
});

test("at the end of each row stands what it predicts", () => {
  const texts = painted(matrix()).of("text");
  ENDS.forEach((token, i) => {
    const place: Point = [100 + 5 * 40 + 5, 70 + 20 * (i + 0.5)];
    assert.ok(
      texts.some(({ text, align, points }) => text === token && align === "left" && near(points[0], place)),
      token,
    );
  });
});

test("the axes are named: columns above, rows at the left, upwards, what rows predict at the right", () => {
  const context = painted(matrix());
  assert.deepEqual(context.placeOf("key →"), [100, 2]);
  assert.ok(near(context.placeOf("← query") ?? [0, 0], [2, 70 + 4 * 20]));
  assert.ok(near(context.placeOf("predicts") ?? [0, 0], [2 + 100 + 5 * 40 + 60 - 16, 70 + 4 * 20]));
});

const frames = (outlines: Painted[], colour: string) => outlines.filter(({ style }) => style === colour);
const around = ([[left, top], [right, bottom]]: Point[], by: number): Point[] => [
  [left - by, top - by],
  [right + by, bottom + by],
];

test("the crosshair marks the row, the column and the cell that are pointed at, and their labels", () => {
  const context = recordingContext();
  paintCursor(context, matrix(), PLACE, LOOK, [2, 3], "#00f");
  const outlines = context.of("outline");
  assert.deepEqual(
    frames(outlines, "#111").map(({ points }) => points),
    [around(corners(2, 0, 1, 5), 0.5), around(corners(0, 3, 4, 1), 0.5)],
  );
  assert.deepEqual(
    frames(outlines, "#00f").map(({ points }) => points),
    [around(corners(2, 3), 1)],
  );
  const bold = context.of("text").filter(({ font }) => font.startsWith("600"));
  assert.deepEqual(new Set(bold.map(({ text }) => text)), new Set(["世界", "👋", "d"])); // its row, its column, what it predicts
});

test("a row or a column alone is marked in the accent, and no cell", () => {
  const context = recordingContext();
  paintCursor(context, matrix(), PLACE, LOOK, [null, 4], "#00f");
  assert.deepEqual(
    frames(context.of("outline"), "#00f").map(({ points }) => points),
    [around(corners(0, 4, 4, 1), 0.5)],
  );
  assert.equal(frames(context.of("outline"), "#111").length, 0);
});

test("at a step its row is framed, and exactly the rows after it are faint", () => {
  const context = recordingContext();
  paintStep(context, matrix(), PLACE, LOOK, 1);
  const [faint] = context.of("rect").filter(({ alpha }) => alpha === 0.72);
  assert.deepEqual(faint.points, corners(2, 0, 2, 5));
  assert.deepEqual(
    frames(context.of("outline"), "#0a0").map(({ points }) => points),
    [around(corners(1, 0, 1, 5), 1)],
  );
  assert.ok(context.of("text").some(({ text, font }) => text === "$x$" && font.startsWith("600")));
});

test("a place on the canvas is the cell that is painted there", () => {
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 5; j++) {
      const [[left, top], [right, bottom]] = corners(i, j);
      assert.deepEqual(cellAt(PLACE, matrix(), left, top), [i, j]);
      assert.deepEqual(cellAt(PLACE, matrix(), right - 0.1, bottom - 0.1), [i, j]);
    }
  }
  for (const [x, y] of [
    [99, 80],
    [110, 69],
    [300, 80],
    [110, 150],
  ])
    assert.equal(cellAt(PLACE, matrix(), x, y), null);
});

test("a label without a token is its place alone", () => {
  const texts = painted(matrix({ columnLabels: [null, null, null, null, null], rowEnds: [] })).of("text");
  assert.equal(texts.filter(({ text }) => text === "").length, 5);
});
