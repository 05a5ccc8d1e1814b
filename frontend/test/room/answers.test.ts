import assert from "node:assert/strict";
import { test } from "node:test";
import type { Question } from "../../src/kit/classroom.ts";
import { answerRows } from "../../src/room/answers.ts";
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

test("an answer is a row, with its question; cells by row and column, counted from 1", () => {
  const rows = answerRows(
    [
      { question: question("cells", 3), answers: [[0, 5], [4]] },
      { question: question("token"), answers: ["=1+1"] },
      { question: question("number"), answers: [0.25] },
      { question: question("curve"), answers: [[0, null, 0.5]] },
      { question: question("number"), answers: [] },
    ],
    labels(),
  );
  assert.deepEqual(rows, [
    ["csv_question", "csv_title", "csv_kind", "csv_answer"],
    [1, "cells?", "cells", "1:1 2:3"],
    [1, "cells?", "cells", "2:2"],
    [2, "token?", "token", "=1+1"],
    [3, "number?", "number", 0.25],
    [4, "curve?", "curve", "0 – 0.5"],
  ]);
});

test("a code has five letters, none of which looks like a digit", () => {
  for (const code of ["KQRTB", "kqrtb", " KQRTB "]) assert.ok(isCode(code), code);
  for (const code of ["", "KQRT", "KQRTBX", "KQRT1", "KQIOB", "KQ RTB", "ÄÖÜSS"]) assert.ok(!isCode(code), code);
});
