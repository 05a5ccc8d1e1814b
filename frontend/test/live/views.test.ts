import assert from "node:assert/strict";
import { test } from "node:test";
import { fittingStages, usualStages } from "../../src/live/views.ts";
import { isSink } from "../../src/live/words.ts";

test("start, end and punctuation are no words", () => {
  assert.deepEqual(["<s>", "</s>", "<pad>", "...", "。", "a.", "<", "我"].map(isSink), [
    true,
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a pinned cell that the sheet lacks is let go", () => {
  const view = { ...usualStages(1), pinned: [1, 2, 0] as const };
  assert.deepEqual(
    fittingStages(
      view,
      4,
      [
        [9, 9],
        [3, 1],
      ],
      8,
    ),
    view,
  );
  assert.equal(
    fittingStages(
      view,
      4,
      [
        [9, 9],
        [2, 1],
      ],
      8,
    ).pinned,
    null,
  );
  assert.deepEqual(fittingStages({ ...view, stage: 20, choices: [] }, 4, [], 8), {
    stage: 7,
    choices: [0],
    pinned: null,
  });
});
