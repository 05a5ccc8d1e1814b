// Tables that change cell by cell: afterwards each cell says what was sent last.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parent, rowsOf } from "../dom.ts";
import { pack } from "../pack.ts";

const { component, panel } = await import("../../src/kit/component.ts");
const { TablesPanel } = await import("../../src/tables/table_view.ts");
const mount = component({ tables: panel(TablesPanel) });
type Cells = (readonly [text: string, shade: number])[][];

const tableOf = (name: string, columns: string[], cells: Cells) => ({
  name,
  lead: "",
  caption: `caption of ${name}`,
  slugs: "",
  columns,
  rows: cells.map((row) => row.map(([text, shade]) => ({ text, shade, look: shade ? "shaded" : "" }))),
});

test("other rows, columns and tables stand there after those before, each text and shade its own", () => {
  const { element, fake } = parent();
  const sent: [string, string[], Cells][][] = [
    [
      [
        "a",
        ["", "x"],
        [
          [
            ["one", 0],
            ["1", 0.25],
          ],
          [
            ["two", 0],
            ["2", 1],
          ],
        ],
      ],
    ],
    [
      [
        "a",
        ["", "x", "y"],
        [
          [
            ["three", 0],
            ["3", 0.75],
            ["4", 0],
          ],
        ],
      ],
      [
        "b",
        ["", "z"],
        [
          [
            ["<i>", 0],
            ["5", 0.5],
          ],
        ],
      ],
    ],
    [
      [
        "b",
        ["", "x"],
        [
          [
            ["one", 0],
            ["1", 0.125],
          ],
          [
            ["two", 0],
            ["7", 0.5],
          ],
        ],
      ],
    ],
  ];
  for (const tables of sent) {
    const content = pack({ line: "", problem: "", tables: tables.map((one) => tableOf(...one)) });
    const request = { panel: "tables", key: "k", revision: "1", view: {}, labels: {} };
    mount({ parentElement: element, data: pack({ request, content }), setStateValue: () => {} });
    assert.equal(fake.tags("table").length, tables.length);
    for (const [name, columns, cells] of tables) {
      const table = fake.byId(name);
      assert.deepEqual(rowsOf(table), [columns, ...cells.map((row) => row.map(([text]) => text))]);
      const shades = table.tags("tbody")[0].children.map((row) => row.children.map((cell) => cell.style["--share"]));
      assert.deepEqual(
        shades,
        cells.map((row) => row.map(([, shade]) => `${100 * shade}%`)),
      );
    }
  }
});

test("with a problem there are no tables", () => {
  const { element, fake } = parent();
  const content = pack({ line: "", problem: "too long", tables: [] });
  const request = { panel: "tables", key: "k", revision: "1", view: {}, labels: {} };
  mount({ parentElement: element, data: pack({ request, content }), setStateValue: () => {} });
  assert.equal(fake.byId("table-problem").textContent, "too long");
  assert.equal(fake.classed("tables")[0].hidden, true);
});
