import assert from "node:assert/strict";
import { test } from "node:test";
import { type RecordingCanvas, recordingContext } from "../canvas.ts";

const { layOut, matrixOf, paintKernelMatrix, queryAt, ROWS } = await import("../../src/why_attention/kernel_matrix.ts");

const [WIDTH, X_MAX, KERNEL] = [460, 6, 0.7];
const points = {
  x: Float64Array.of(0.2, 1.1, 1.3, 4, 5.9),
  y: new Float64Array(5),
  curve: new Float32Array(3),
  xMax: X_MAX,
};
const look = { text: "ink", background: "paper", font: "serif", hue: "blue" };
const labels = { keys: "key: point", queries: "query x" };

// Gaussians, divided by their sum.
function weights(query: number): number[] {
  const bells = [...points.x].map((x) => Math.exp(-(((query - x) / KERNEL) ** 2) / 2));
  const sum = bells.reduce((a, b) => a + b);
  return bells.map((bell) => bell / sum);
}

test("a row of the picture has the colours of one query's weights, the first of 0, the last of the right end", () => {
  const { image, scale } = matrixOf(points, KERNEL);
  const canvas = image as unknown as RecordingCanvas;
  assert.deepEqual([canvas.width, canvas.height], [points.x.length, ROWS]);
  const all = Array.from({ length: ROWS }, (_, row) => weights((X_MAX * row) / (ROWS - 1)));
  assert.equal(scale.ticks[0], 0);
  assert.ok(Math.abs((scale.ticks.at(-1) ?? 0) - Math.max(...all.flat())) < 1e-12);
  all.forEach((row, i) => {
    row.forEach((weight, j) => {
      const pixel = scale.pixelOf(weight);
      const expected = [0, 8, 16, 24].map((shift) => (pixel >>> shift) & 255);
      assert.deepEqual(canvas.pixelAt(j, i), expected, `query ${i}, point ${j}`);
    });
  });
  const lightness = ([red, green, blue]: readonly number[]) => red + green + blue;
  for (const row of [0, 30, 60]) {
    const best = all[row].indexOf(Math.max(...all[row]));
    for (let j = 0; j < 5; j++)
      assert.ok(
        lightness(canvas.pixelAt(j, row)) <= lightness(canvas.pixelAt(best, row)),
        "the heaviest is the lightest",
      );
  }
});

test("cells, frame, ticks and numbers stand where a query and a point are, and a drag finds the query again", () => {
  const matrix = matrixOf(points, KERNEL);
  const layout = layOut(WIDTH, 420);
  const query = 2.4;
  const context = recordingContext(WIDTH, layout.height);
  paintKernelMatrix(context, matrix, layout, query, look, labels);
  const [[left, top], [right, bottom]] = context.of("image")[0].points;
  assert.ok(left > 40 && right <= WIDTH && bottom < layout.height);
  const yOf = (value: number) => top + (value / X_MAX) * (bottom - top);
  const frames = context.of("outline");
  assert.deepEqual(
    frames.map((frame) => frame.style),
    ["paper", "blue"],
  );
  for (const { points: corners } of frames) {
    assert.ok(Math.abs((corners[0][1] + corners[1][1]) / 2 - yOf(query)) < 1e-9);
    assert.deepEqual([corners[0][0], corners[1][0]], [left, right]);
  }
  const ticks = context.of("text").filter(({ align }) => align === "right");
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ["0", "1", "2", "3", "4", "5", "6"],
  );
  for (const { text, points: at } of ticks) assert.ok(Math.abs(at[0][1] - yOf(Number(text))) < 1e-9);
  const cell = (right - left) / points.x.length;
  for (let n = 1; n <= 5; n++) {
    // Below the cells; the ticks beside them have the same texts.
    const [at] = context.of("text").filter(({ text, points: [[, y]] }) => text === String(n) && y > bottom);
    assert.ok(Math.abs(at.points[0][0] - (left + (n - 0.5) * cell)) < 1e-9, `point ${n}`);
  }
  assert.ok(context.placeOf("key: point") && context.placeOf("query x"));
  for (const value of [0, 2.4, 6]) {
    assert.ok(Math.abs(queryAt(yOf(value), layout.height, X_MAX) - value) < 1e-9);
  }
});
