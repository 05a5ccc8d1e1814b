// Where matrices lie, whatever their tokens and the room: what a person would measure on the page with a ruler.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shorten } from "../../src/kit/tokens.ts";
import { canvasSize, layOutMatrices, STAGE, type Style, TRACE } from "../../src/matrix/layout.ts";
import type { Geometry, Labelled } from "../../src/matrix/matrix.ts";
import "../canvas.ts";

const STYLES = { TRACE, STAGE };
const GAP = 28;
const INK = 0.96; // of a letter's size, from the top of a b to the bottom of a p
const NAMES = ["row", "column", "ends"] as const;

// Random numbers that are the same in every run.
function dice(seed: number): (low: number, high: number) => number {
  let state = seed;
  return (low, high) => {
    state = (state * 16807) % 2147483647;
    return low + (state % (high - low + 1));
  };
}

interface Case {
  readonly what: string;
  readonly matrices: readonly Labelled[];
  readonly width: number;
  readonly ratio: number;
  readonly style: Style;
}

// Traces of all lengths, their tokens long and short; stages with matrices of features too.
function* cases(count: number): Generator<Case> {
  const roll = dice(20);
  const tokens = (n: number) => Array.from({ length: n }, () => "x".repeat(roll(0, 5) ? roll(1, 8) : roll(9, 40)));
  for (let n = 0; n < count; n++) {
    const most = roll(0, 1) ? 45 : 12;
    const from = roll(0, 2);
    const [source, target] = [tokens(roll(1, most)), tokens(roll(1, most))];
    const features = (rowLabels: string[]) => ({
      rowLabels,
      columnLabels: Array<null>(roll(4, 130)).fill(null),
      rowEnds: [],
    });
    const matrices: Labelled[] = [
      { rowLabels: source, columnLabels: source, rowEnds: [] },
      { rowLabels: target, columnLabels: source, rowEnds: tokens(target.length) },
      { rowLabels: target, columnLabels: target, rowEnds: tokens(target.length) },
    ].slice(from, roll(from + 1, 3));
    const width = roll(280, 1500);
    const ratio = [1, 1.25, 1.5, 2, 3][roll(0, 4)];
    const place = { width, ratio };
    const what = `${source.length} × ${target.length} tokens, ${width} wide, ratio ${ratio}, case ${n}`;
    yield { what: `TRACE, ${what}`, matrices, style: TRACE, ...place };
    const ofStage = roll(0, 1) ? matrices : [features(target), ...matrices.slice(1), features(source)];
    yield { what: `STAGE, ${what}`, matrices: ofStage, style: STAGE, ...place };
  }
}

function laidOut({ matrices, width, ratio, style }: Case) {
  const { columns, geometries } = layOutMatrices(matrices, { width, gap: GAP, font: "serif", ratio }, style);
  assert.equal(geometries.length, matrices.length);
  return { columns, geometries, shown: matrices.map((matrix, n) => [matrix, geometries[n]] as const) };
}

const near = (a: number, b: number) => Math.abs(a - b) < 1e-6;

test("cells are whole device pixels, one at least", () => {
  for (const one of cases(150)) {
    for (const { cellWidth, cellHeight } of laidOut(one).geometries) {
      for (const size of [cellWidth * one.ratio, cellHeight * one.ratio]) {
        assert.ok(near(size, Math.round(size)) && size > 0.5, one.what);
      }
    }
  }
});

test("equal rows line up, and matrices of tokens have square cells", () => {
  for (const one of cases(150)) {
    const { geometries, shown } = laidOut(one);
    const rows = geometries.map(({ top, cellHeight }) => `${top} ${cellHeight}`);
    assert.equal(new Set(rows).size, 1, one.what);
    for (const [{ columnLabels }, { cellWidth, cellHeight }] of shown) {
      if (columnLabels[0] !== null) assert.equal(cellWidth, cellHeight, one.what);
    }
  }
});

test("the matrices of a trace have one geometry", () => {
  for (const one of cases(50)) {
    if (one.style === TRACE) assert.equal(new Set(laidOut(one).geometries).size, 1, one.what);
  }
});

test("no two labels overlap", () => {
  for (const one of cases(150)) {
    for (const [, { cellWidth, cellHeight, everyRow, everyColumn, fontSize, slant }] of laidOut(one).shown) {
      const ink = INK * fontSize;
      assert.ok(fontSize > 8, `${one.what}: letters of ${fontSize}`);
      assert.ok(everyRow * cellHeight >= ink, `${one.what}: rows`);
      assert.ok(everyColumn * cellWidth * Math.sin(slant) >= ink, `${one.what}: columns`);
    }
  }
});

// Where the labels reach to: the last ones on the right, the longest ones to the left and to the top.
function reach({ columnLabels, rowLabels, rowEnds }: Labelled, place: Geometry, fontSize: number) {
  const { left, top, cellWidth, slant, indexWidth, labelMax } = place;
  const widthOf = (token: string | null) => (token ? shorten(token, `${fontSize}px serif`, labelMax).width : 0);
  const columns = columnLabels.map((label, j) => {
    const length = indexWidth + widthOf(label);
    return [left + (j + 0.5) * cellWidth + length * Math.cos(slant), top - length * Math.sin(slant)] as const;
  });
  const end = left + columnLabels.length * cellWidth;
  return {
    left: left - Math.max(...rowLabels.map((label) => indexWidth + widthOf(label))),
    right: Math.max(end, ...columns.map(([x]) => x), ...rowEnds.map((token) => end + widthOf(token))),
    top: Math.min(...columns.map(([, y]) => y)),
  };
}

test("nothing lies outside of a canvas, and no canvas outside of its room, unless its cells can be no smaller", () => {
  let scrolling = 0;
  for (const one of cases(150)) {
    const { columns, shown } = laidOut(one);
    assert.ok(columns >= 1 && columns <= one.matrices.length, one.what);
    for (const [matrix, place] of shown) {
      assert.ok(columns * place.room + (columns - 1) * GAP <= one.width, `${one.what}: side by side`);
      const { width, height } = canvasSize(place, matrix, ["", "", ""], "serif");
      const { left, right, top } = reach(matrix, place, place.fontSize);
      assert.ok(left > 0 && top > 0 && right <= width, `${one.what}: ${left} ${top} ${right} of ${width}`);
      assert.ok(place.top + matrix.rowLabels.length * place.cellHeight <= height, `${one.what}: height`);
      const least = matrix.columnLabels[0] === null ? 1.5 : 4;
      if (place.cellWidth > least) assert.ok(width <= place.room, `${one.what}: ${width} in ${place.room}`);
      else scrolling++;
    }
  }
  assert.ok(scrolling > 0); // or the exception was never needed
});

test("there is room for the names of the axes", () => {
  const matrix: Labelled = { rowLabels: ["a"], columnLabels: ["b"], rowEnds: [] };
  const { geometries } = layOutMatrices([matrix], { width: 700, gap: GAP, font: "serif", ratio: 1 }, TRACE);
  const long = canvasSize(geometries[0], matrix, ["r".repeat(50), "c".repeat(40), ""], "serif");
  const short = canvasSize(geometries[0], matrix, NAMES, "serif");
  assert.ok(long.width >= geometries[0].left + 40 * 6 && long.height >= 50 * 6);
  assert.ok(short.width < long.width && short.height < long.height);
});

for (const [name, style] of Object.entries(STYLES)) {
  test(`more room never makes smaller cells: ${name}`, () => {
    const roll = dice(5);
    for (let n = 0; n < 40; n++) {
      const tokens = Array.from({ length: roll(1, 45) }, () => "x".repeat(roll(1, 9))); // so short that no label is cut
      const matrix = { rowLabels: tokens, columnLabels: tokens, rowEnds: roll(0, 1) ? tokens : [] };
      let before = 0;
      for (let width = 260; width < 900; width += roll(1, 9)) {
        const { geometries } = layOutMatrices([matrix], { width, gap: GAP, font: "serif", ratio: 2 }, style);
        assert.ok(geometries[0].cellWidth >= before, `${tokens.length} tokens, ${width} wide`);
        before = geometries[0].cellWidth;
      }
    }
  });

  test(`a quarter more room never makes smaller cells, even where labels are cut: ${name}`, () => {
    for (const one of cases(150)) {
      if (one.style !== style) continue;
      const [before, after] = [one, { ...one, width: Math.ceil(one.width * 1.25) }].map(laidOut);
      if (before.columns !== after.columns) continue;
      after.geometries.forEach(({ cellWidth, cellHeight }, n) => {
        assert.ok(cellHeight >= before.geometries[n].cellHeight, one.what);
        assert.ok(cellWidth >= before.geometries[n].cellWidth, one.what);
      });
    }
  });
}

test("matrices are side by side where each has room for its title and its labels, one below another on a phone", () => {
  const tokens = Array.from({ length: 8 }, (_, n) => `t${n}`);
  const matrix: Labelled = { rowLabels: tokens, columnLabels: tokens, rowEnds: [] };
  for (const style of [TRACE, STAGE]) {
    const columnsIn = (width: number) =>
      layOutMatrices([matrix, matrix, matrix], { width, gap: GAP, font: "serif", ratio: 1 }, style).columns;
    assert.deepEqual([columnsIn(360), columnsIn(700), columnsIn(1100), columnsIn(3000)], [1, 2, 3, 3]);
  }
});

test("many tokens get small labels, upright ones on the columns, and columns of features are counted in round steps", () => {
  const trace = (count: number) => {
    const tokens = Array<string>(count).fill("token");
    const matrix: Labelled = { rowLabels: tokens, columnLabels: tokens, rowEnds: [] };
    return layOutMatrices([matrix], { width: 700, gap: 0, font: "serif", ratio: 1 }, TRACE).geometries[0];
  };
  assert.deepEqual([trace(12).slant, trace(12).fontSize], [Math.PI / 3, 12.5]);
  assert.deepEqual([trace(13).slant, trace(13).fontSize], [Math.PI / 2, 11]);
  const features: Labelled = { rowLabels: ["a", "b"], columnLabels: Array<null>(64).fill(null), rowEnds: [] };
  for (const width of [300, 500, 700, 1400]) {
    const place = layOutMatrices([features], { width, gap: 0, font: "serif", ratio: 1 }, STAGE).geometries[0];
    assert.ok([1, 2, 5, 10, 20].includes(place.everyColumn), String(place.everyColumn));
  }
});
