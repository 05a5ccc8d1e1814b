import assert from "node:assert/strict";
import { test } from "node:test";
import { fillChildren, fillTable, tokenNodes } from "../src/kit/table.ts";
import { FakeElement, read, rowsOf } from "./dom.ts";

test("a table has its headings above and at the left, and each cell in its place", () => {
  const table = new FakeElement("table");
  const rows = ["a", "<b>"].map((token, n) => [tokenNodes(token, n), `${n}.1`, `${n}.2`]);
  fillTable(table as unknown as HTMLTableElement, "caption", ["", "x", "y"], rows);
  assert.deepEqual(rowsOf(table), [
    ["", "x", "y"],
    ["1 a", "0.1", "0.2"],
    ["2 <b>", "1.1", "1.2"],
  ]);
  assert.deepEqual(
    table.tags("tr").map((row) => row.children.map((cell) => cell.tagName)),
    [
      ["td", "th", "th"],
      ["th", "td", "td"],
      ["th", "td", "td"],
    ],
  );
});

test("children are as many as things, each showing its own, and stay where they can", () => {
  const list = new FakeElement("ul");
  const fill = (things: string[]) =>
    fillChildren(
      list as unknown as Element,
      things,
      () => new FakeElement("li") as unknown as Element,
      (node, thing, n) => {
        node.textContent = `${n} ${thing}`;
      },
    );
  fill(["a", "b", "c"]);
  const [first] = list.children;
  fill(["x", "y"]);
  assert.deepEqual(
    list.children.map((child) => child.textContent),
    ["0 x", "1 y"],
  );
  assert.equal(list.children[0], read(first));
});
