// What a spreadsheet gets: numbers as numbers, texts as they were typed, and nothing that it would run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../src/kit/csv.ts";

test("each float32 comes back, and no number is an empty cell", () => {
  const numbers = [0.1, -2.5, 1e-12, 3.4e38, 0].map(Math.fround);
  const line = csvOf([[...numbers, null]])
    .slice(1)
    .trimEnd();
  const cells = line.split(",");
  assert.equal(cells.pop(), "");
  assert.deepEqual(
    cells.map((cell) => Math.fround(Number(cell))),
    numbers,
  );
});

test("texts are quoted where the format needs it, and none is a formula", () => {
  const texts = ["a,b", 'say "x"', "two\r\nlines", "=1+1", "-1", "+1", "@x", "\tx", "＝1", "$x$", "<s>", "'", ""];
  assert.equal(csvOf([texts]), `\ufeff"a,b","say ""x""","two\r\nlines",'=1+1,'-1,'+1,'@x,'\tx,'＝1,$x$,<s>,',\r\n`);
});

test("a text that is a formula and needs quotes has both", () => {
  assert.equal(csvOf([['=HYPERLINK("x","y")']]), `\ufeff"'=HYPERLINK(""x"",""y"")"\r\n`);
});
