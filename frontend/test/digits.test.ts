import assert from "node:assert/strict";
import { test } from "node:test";
import { digitOf } from "../src/kit/digits.ts";

const key = (key: string, held: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});

test("a digit is a place, counted from 1", () => {
  assert.deepEqual(
    ["1", "4", "8"].map((name) => digitOf(key(name), 8)),
    [0, 3, 7],
  );
});

test("other keys, digits without a place and shortcuts are not", () => {
  for (const name of ["0", "9", "5", "a", " ", "", "Enter", "ArrowLeft", "F1", "²"]) {
    assert.equal(digitOf(key(name), 4), null, name);
  }
  for (const held of ["ctrlKey", "metaKey", "altKey"]) assert.equal(digitOf(key("1", { [held]: true }), 4), null, held);
});
