import assert from "node:assert/strict";
import { test } from "node:test";
import { cssGradient, cssOf, divergingTo, headColour, plain, sequentialTo, WEIGHTS } from "../src/kit/colour.ts";

const channels = (pixel: number) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
const lightness = (pixel: number) =>
  channels(pixel).reduce((sum, channel, n) => sum + channel * [0.299, 0.587, 0.114][n], 0);

test("weights go from dark blue to yellow, lighter and lighter", () => {
  assert.deepEqual(channels(WEIGHTS.pixelOf(0)), [0, 34, 78]);
  assert.deepEqual(channels(WEIGHTS.pixelOf(1)), [254, 232, 56]);
  const steps = Array.from({ length: 256 }, (_, n) => lightness(WEIGHTS.pixelOf(n / 255)));
  for (let n = 1; n < 256; n++) assert.ok(steps[n] >= steps[n - 1] - 0.6, `at ${n}`); // channels are rounded
  assert.equal(WEIGHTS.pixelOf(0.5) >>> 24, 255);
  assert.deepEqual(WEIGHTS.ticks, [0, 0.5, 1]);
});

test("a scale ends at its outer ticks; beyond them its colours stay", () => {
  const scale = divergingTo(4, false);
  assert.deepEqual(scale.ticks, [-4, 0, 4]);
  assert.deepEqual(channels(scale.pixelOf(-4)), [8, 62, 121]);
  assert.deepEqual(channels(scale.pixelOf(4)), [133, 62, 6]);
  assert.equal(scale.pixelOf(-9), scale.pixelOf(-4));
  assert.equal(scale.pixelOf(9), scale.pixelOf(4));
  assert.notEqual(scale.pixelOf(-2), scale.pixelOf(2));
});

test("zero has the page's lightness, on a light and on a dark page", () => {
  assert.ok(lightness(divergingTo(1, false).pixelOf(0)) > 235);
  assert.ok(lightness(divergingTo(1, true).pixelOf(0)) < 50);
});

test("a sequence reaches as far as it is told", () => {
  assert.equal(sequentialTo(1), WEIGHTS);
  assert.equal(sequentialTo(3).pixelOf(3), WEIGHTS.pixelOf(1));
  assert.equal(sequentialTo(3).pixelOf(1.5), WEIGHTS.pixelOf(0.5));
  assert.equal(sequentialTo(0).pixelOf(0), WEIGHTS.pixelOf(0));
});

test("digits stand out on every colour: 4.5 to 1 and more, as WCAG asks of text", () => {
  const part = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);
  for (const scale of [WEIGHTS, divergingTo(1, false), divergingTo(1, true)]) {
    for (let n = 0; n <= 40; n++) {
      const value = n / 20 - 1;
      const [red, green, blue] = [0, 8, 16].map((shift) => part(((scale.pixelOf(value) >> shift) & 255) / 255));
      const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      const contrast = scale.inkOn(value) === "#000000" ? (luminance + 0.05) / 0.05 : 1.05 / (luminance + 0.05);
      assert.ok(contrast >= 4.5, `${value}: ${contrast}`);
    }
  }
});

test("digits are dark on the light page and light on the dark one, where numbers have no colour", () => {
  for (const isDark of [false, true]) assert.equal(plain(isDark).inkOn(0), isDark ? "#ffffff" : "#000000");
});

test("only a finite number has a colour", () => {
  assert.deepEqual([0, -5, NaN, Infinity].map(WEIGHTS.paints), [true, true, false, false]);
});

test("a colour's spelling in CSS", () => {
  assert.equal(cssOf((255 << 24) | (3 << 16) | (2 << 8) | 1), "rgb(1 2 3)");
  assert.match(cssGradient(WEIGHTS), /^linear-gradient\(to right, rgb\(0,34,78\),.*rgb\(254,232,56\)\)$/);
  assert.deepEqual(plain(true).stops, []);
});

test("eight heads have eight colours, then they come again", () => {
  for (const isDark of [false, true]) {
    const colours = Array.from({ length: 8 }, (_, n) => String(headColour(n, isDark)));
    assert.equal(new Set(colours).size, 8);
    assert.deepEqual(headColour(9, isDark), headColour(1, isDark));
  }
});
