import assert from "node:assert/strict";
import { test } from "node:test";
import type { Question, Truth } from "../../src/kit/classroom.ts";
import { csvOf } from "../../src/kit/csv.ts";
import { WORDLESS } from "../../src/kit/score.ts";
import { type Answered, answerRows } from "../../src/room/answers.ts";
import { isCode } from "../../src/room/box.ts";
import { labels } from "../dom.ts";

const question = (kind: Question["kind"], columns = 0): Question => ({
  id: kind,
  kind,
  columns,
  size: 6,
  title: `${kind}?`,
  open: false,
  unread: false,
});
const [ASKED, REVEALED, GIVEN] = ["2026-03-02T08:15:30Z", "2026-03-02T08:17:02Z", "2026-03-02T08:16Z"];
const answered = (kind: Question["kind"], answers: unknown[], truth: Truth | null, columns = 0): Answered => ({
  question: question(kind, columns),
  answers,
  times: answers.map(() => GIVEN),
  asked: ASKED,
  revealed: truth && REVEALED,
  members: truth && 27,
  truth,
});
// The answer, the truth and the score.
const scored = (one: Answered) =>
  answerRows([one], labels())
    .slice(1)
    .map((row) => row.slice(3, 8));

const WEIGHTS = {
  values: [0.5, 0.25, 0.25, 0, 0.25, 0.75],
  rows: ["The", "it"],
  columns: ["a", "cat", " "],
  mask: false,
};

test("an answer is a row with its question, what is true, its score, three times and who was there", () => {
  const rows = answerRows([answered("cells", [[0, 5], [4]], WEIGHTS, 3), answered("number", [], null)], labels());
  const [what, when] = [
    [1, "cells?", "cells"],
    [ASKED, GIVEN, REVEALED, 27],
  ];
  const true_ = ["1:1 2:3", "The → a; it → ␣"];
  assert.deepEqual(rows, [
    [
      ...["csv_question", "csv_title", "csv_kind", "csv_answer", "csv_answer_words", "csv_truth", "csv_truth_words"],
      ...["csv_score", "csv_asked", "csv_answered", "csv_revealed", "csv_members"],
    ],
    [...what, "1:1 2:3", "The → a; it → ␣", ...true_, 100, ...when],
    [...what, "2:2", "it → cat", ...true_, 20, ...when],
  ]);
});

test("what is true of a mask is all that it takes away; of equal weights, each", () => {
  const mask = { values: [0, 1, 1, 0, 0, 1], rows: ["a", "b"], columns: ["a", "b", "c"], mask: true };
  assert.deepEqual(scored(answered("cells", [[1, 2, 3]], mask, 3)), [
    ["1:2 1:3 2:1", "a → b; a → c; b → a", "1:2 1:3 2:3", "a → b; a → c; b → c", 66],
  ]);
  const even = { ...WEIGHTS, values: [0.5, 0.5, 0, 0, 0, 0] };
  assert.equal(scored(answered("cells", [[1]], even, 3))[0][2], "1:1 1:2");
});

test("of a token, a number and a curve there are no words", () => {
  const tokens = { ...WORDLESS, values: [0.5, 0.25, 0.125], rows: ["sie", "es", "Es"] };
  assert.deepEqual(scored(answered("token", ["es", "ES", "Hund", "sie"], tokens)), [
    ["es", null, "sie", null, 50],
    ["ES", null, "sie", null, 50],
    ["Hund", null, "sie", null, 0],
    ["sie", null, "sie", null, 100],
  ]);
  assert.deepEqual(scored(answered("number", [0.25, -1], { ...WORDLESS, values: [0.5] })), [
    [0.25, null, 0.5, null, 50],
    [-1, null, 0.5, null, 0],
  ]);
  assert.deepEqual(scored(answered("curve", [[0, null, 0.5]], { ...WORDLESS, values: [0, 1 / 3, 1] })), [
    ["0 – 0.5", null, "0 0.3333 1", null, 50],
  ]);
});

test("where nothing is known to be true, its fields are empty, and the score, too", () => {
  const open = answered("cells", [[4]], null, 3);
  assert.deepEqual(scored(open), [["2:2", null, null, null, null]]);
  const line = csvOf(answerRows([open], labels())).split("\r\n")[1];
  assert.equal(line, `1,cells?,cells,2:2,,,,,${ASKED},${GIVEN},,`);
});

test("no word of a person, of a text or of a vocabulary is a formula", () => {
  const words = { ...WEIGHTS, rows: ["=it", 'say "x"'] };
  const token = { ...WORDLESS, values: [1], rows: ["@sum"] };
  const rows = answerRows([answered("cells", [[1], [4]], words, 3), answered("token", ["=1+1"], token)], labels());
  const [, first, second, third] = csvOf(rows).split("\r\n");
  assert.match(first, /,1:2,'=it → cat,1:1 2:3,"'=it → a; say ""x"" → ␣",/);
  assert.match(second, /,2:2,"say ""x"" → cat",/);
  assert.match(third, /,token,'=1\+1,,'@sum,,0,/);
});

test("a code has five letters, none of which looks like a digit", () => {
  for (const code of ["KQRTB", "kqrtb", " KQRTB "]) assert.ok(isCode(code), code);
  for (const code of ["", "KQRT", "KQRTBX", "KQRT1", "KQIOB", "KQ RTB", "ÄÖÜSS"]) assert.ok(!isCode(code), code);
});
