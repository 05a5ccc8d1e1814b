// The curves of a run as they are drawn: the mark of the snapshot, what the axes say, and the numbers in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FilmCurve, numberTexts } from "../../src/training/curve.ts";
import { Film } from "../../src/training/film.ts";
import { labels, read } from "../dom.ts";
import { STEPS, tensor } from "../maps/sent.ts";

const SHOTS = [0, 10, 40, 200];
const WIDTH = 492; // 46 + 400 + 46
const film = new Film({
  steps: 200,
  count: 7,
  unit: STEPS,
  curve: { steps: tensor(Int32Array.of(20, 200)), losses: tensor(Float64Array.of(2, 0.5)) },
  snapshots: {
    steps: tensor(Int32Array.from(SHOTS)),
    numbers: {
      valid_loss: tensor(Float64Array.of(4, 3, 1, 0.4)),
      exact_match: tensor(Float64Array.of(0, 0.25, Number.NaN, 1)),
    },
  },
  sentences: [],
});
const near = (actual: unknown, expected: number, where: string, by = 0.1) =>
  assert.ok(Math.abs(Number(actual) - expected) <= by, `${where}: ${actual} and not ${expected}`);

function drawn(at: number) {
  const curve = new FilmCurve(() => {});
  curve.update(film, at, labels(), WIDTH);
  return read(curve.element);
}

test("the mark is at the snapshot that is shown, and each has a tick", () => {
  SHOTS.forEach((step, at) => {
    const shown = drawn(at);
    const [mark] = shown.classed("mark-line");
    near(mark.getAttribute("transform")?.match(/translate\(([\d.]+) 0\)/)?.[1], 46 + 2 * step, `snapshot ${at}`);
    const ticks = shown.classed("tick-mark").map((tick) => Number(tick.getAttribute("x1")));
    ticks.forEach((x, n) => near(x, 46 + 2 * SHOTS[n], `tick ${n}`));
    assert.equal(ticks.length, SHOTS.length);
  });
});

test("a number on an axis stands where a curve has that value: losses on the left, shares on the right, steps below", () => {
  const shown = drawn(0);
  const texts = shown.tags("text").map((text) => ({
    text: text.textContent,
    x: Number(text.getAttribute("x")),
    y: Number(text.getAttribute("y")) - 4,
    anchor: text.getAttribute("text-anchor"),
  }));
  const pointsOf = (name: string) =>
    [...(shown.classed(name)[0].getAttribute("d") ?? "").matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [+x, +y]);
  const heightOf = (text: string, anchor: string) =>
    texts.find((one) => one.text === text && one.anchor === anchor)?.y ?? Number.NaN;
  const [highest, , , lowest] = pointsOf("held-out"); // 4 … 0.4
  near(highest[1], heightOf("4", "end"), "a loss of 4");
  near(lowest[1], heightOf("0", "end") + 0.1 * (heightOf("4", "end") - heightOf("0", "end")), "a loss of 0.4");
  const shares = pointsOf("exact_match"); // 0, 0.25, a gap, 1
  near(shares[0][1], heightOf("0 %", "start"), "a share of 0");
  near(shares.at(-1)?.[1], heightOf("100 %", "start"), "a share of 1");
  for (const step of [0, 50, 100, 150, 200]) {
    const label = texts.find(({ text, anchor }) => text === String(step) && anchor === "middle");
    near(label?.x, 46 + 2 * step, `step ${step}`);
  }
});

test("what was measured at a snapshot is said, and nothing that was not", () => {
  const said = labels({ valid_loss: "loss {value}", exact_match: "right {value}" });
  assert.deepEqual(numberTexts(film, 1, said), ["loss 3.000", "right 25.0 %"]);
  assert.deepEqual(numberTexts(film, 2, said), ["loss 1.000"]);
});
