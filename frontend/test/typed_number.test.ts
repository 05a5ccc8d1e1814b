import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { numberOf } from "../src/kit/typed_number.ts";

// Python reads the same table: tests/experiments/exercises/test_typed_number.py.
const TABLE = JSON.parse(readFileSync(new URL("typed_numbers.json", import.meta.url), "utf8"));

for (const [text, value] of Object.entries(TABLE))
  test(`${JSON.stringify(text)} is ${value ?? "no number"}`, () => assert.equal(numberOf(text), value));

test("a number that is too large is none", () => assert.equal(numberOf("1e999"), null));
