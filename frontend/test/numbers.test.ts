import assert from "node:assert/strict";
import { test } from "node:test";
import { axisText, cellText, numberText, tickText, valueText } from "../src/kit/numbers.ts";

function holds(textOf: (value: number) => string, cases: [number, string][]): void {
  for (const [value, text] of cases) assert.equal(textOf(value), text, `of ${value}`);
}

test("a number has four digits after the point, very small and large ones an exponent", () => {
  holds(numberText, [
    [0, "0.0000"],
    [0.12345, "0.1235"],
    [-1.5, "−1.5000"],
    [0.00005, "0.0001"],
    [0.00004, "4.00e−5"],
    [99999, "99999.0000"],
    [100000, "1.00e+5"],
    [-1e-9, "−1.00e−9"],
    [NaN, "NaN"],
    [Infinity, "∞"],
    [-Infinity, "−∞"],
  ]);
  assert.equal(numberText(0.12345, 2), "0.12");
});

test("where all numbers are whole, nothing is after a point", () => {
  assert.equal(valueText({ isWhole: true }, -3), "−3");
  assert.equal(valueText({ isWhole: true }, -Infinity), "−∞");
  assert.equal(valueText({ isWhole: true }, 0.5), "0.5000");
  assert.equal(valueText({}, 3), "3.0000");
});

test("an end of a scale is as short as three digits allow", () => {
  holds(tickText, [
    [0, "0"],
    [-27.456, "−27.5"],
    [0.5, "0.5"],
    [1234, "1230"],
    [1e-9, "1e−9"],
  ]);
});

test("along an axis whole numbers are written out, up to a hundred thousand", () => {
  holds(axisText, [
    [0, "0"],
    [1024, "1024"],
    [-65536, "−65536"],
    [123456, "123000"],
    [2e6, "2e6"],
    [-1234567, "−1.23e6"],
    [0.12345, "0.123"],
  ]);
});

test("in a cell there is room for five characters", () => {
  holds(cellText, [
    [0.125, "0.13"],
    [-99.994, "−99.99"],
    [100.4, "100"],
    [-12345, "−12345"],
    [123456, "1e5"],
    [-Infinity, "−∞"],
    [NaN, "NaN"],
  ]);
});
