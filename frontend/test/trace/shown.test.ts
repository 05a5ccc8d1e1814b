// The bars of the next tokens and the controls of a trace, as they stand on the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Bars } from "../../src/trace/bars.ts";
import { Controls } from "../../src/trace/controls.ts";
import { labels, read } from "../dom.ts";
import { PREDICTED, PROBABILITIES, READ, traceContent } from "./sent.ts";

const LABELS = labels({ rest: "{count} others", next_tokens: "after step {step}" });

test("a bar is as long as its probability, and beside it stand rank, token and numbers", () => {
  const { next } = traceContent();
  const bars = new Bars();
  const shown = read(bars.element);
  bars.setLabels(LABELS);
  for (const step of [0, 2, 1]) {
    bars.update(next, step);
    assert.equal(shown.tags("caption")[0].textContent, `after step ${step + 1}`);
    const rows = shown.tags("tbody")[0].children;
    const rest = 1 - PROBABILITIES[step].reduce((a, b) => a + b);
    [...PROBABILITIES[step], rest].forEach((probability, n) => {
      const [rank, token, bar, share, log] = rows[n].children;
      const width = Number(String(bar.classed("fill")[0].style.width).replace("%", ""));
      assert.ok(Math.abs(width - 100 * probability) < 1e-4, `${step} ${n}: ${width} %`);
      assert.deepEqual(
        [rank.textContent, share.textContent, log.textContent],
        [n < 3 ? String(n + 1) : "", probability.toFixed(4), Math.log(probability).toFixed(4).replace("-", "−")],
      );
      const expected = [PREDICTED[step], `second ${step}`, `third ${step}`, "7 others"];
      assert.equal(token.tags("bdi")[0].textContent, expected[n]);
      assert.equal(rows[n].className, n === 0 ? "taken" : n === 3 ? "rest" : "");
    });
    assert.equal(rows.length, 4);
  }
});

test("the controls say what a step reads and predicts, and of a step after the end that it ended", () => {
  const controls = new Controls({ onChange: () => {}, onPlay: () => {} });
  const shown = read(controls.element);
  controls.setLabels(labels({ step_text: "{step} of {steps}: {read} > {predicted}", step_ended: "ended at {ended}" }));
  const steps = { layers: 2, heads: 3, read: READ, predicted: PREDICTED, ended: null };
  READ.forEach((token, step) => {
    controls.update(steps, { layer: 1, head: 2, step });
    const text = `${step + 1} of 3: ${token} > ${PREDICTED[step]}`;
    assert.equal(shown.byId("tv-step-text").textContent, text);
    assert.deepEqual(
      [shown.byId("tv-step").value, shown.byId("tv-step").getAttribute("aria-valuetext")],
      [`${step}`, text],
    );
  });
  const pressed = (name: string, count: number) =>
    Array.from({ length: count }, (_, n) => shown.byId(`tv-${name}-${n + 1}`).getAttribute("aria-pressed"));
  assert.deepEqual(pressed("layer", 2), ["false", "true"]);
  assert.deepEqual(pressed("head", 3), ["false", "false", "true"]);
  controls.update({ ...steps, ended: 2 }, { layer: 0, head: 0, step: 2 });
  assert.equal(shown.byId("tv-step-text").textContent, "ended at 2");
});
