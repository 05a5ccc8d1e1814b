// Tables of texts. Text always goes in as text, never as markup.

import { type Child, element } from "./dom.ts";

// A text, a node or several; or a whole <th> or <td>, where it needs a class of its own.
export type Cell = Child | readonly Child[];
export type Row = readonly Cell[] | HTMLTableRowElement;

// A table as number_table.py describes it.
export interface TextTable {
  readonly name: string;
  readonly lead: string; // a line above it, or ""
  readonly caption: string;
  readonly slugs: string; // that it shows, see term_highlight.ts
  readonly columns: readonly string[];
  readonly rows: readonly (readonly TextCell[])[]; // the first cell of each names it
}

export interface TextCell {
  readonly text: string;
  readonly look: string; // classes
  readonly shade: number; // 0 … 1
}

// `columns`: what stands above, the rows' headings included; a column without a heading is "". The first cell of a row
// is its heading.
export function fillTable(
  table: HTMLTableElement,
  caption: Cell,
  columns: readonly Cell[],
  rows: readonly Row[],
): void {
  const body = rows.map((row) => (row instanceof HTMLTableRowElement ? row : rowOf(row)));
  table.replaceChildren(
    element("caption", {}, ...childrenOf(caption)),
    element("thead", {}, headRow(columns)),
    element("tbody", {}, ...body),
  );
}

// The row above a table; a column without a heading is "".
export function headRow(columns: readonly Cell[]): HTMLTableRowElement {
  return element("tr", {}, ...columns.map((cell) => (cell === "" ? element("td") : heading(cell, "col"))));
}

// A column's heading with a class of its own.
export function columnHeading(textContent: string, className: string): HTMLTableCellElement {
  return element("th", { scope: "col", className, textContent });
}

// A row for a table, whose first cell is its heading.
export function rowOf(cells: readonly Cell[], className = ""): HTMLTableRowElement {
  const [first, ...rest] = cells;
  return element("tr", { className }, heading(first, "row"), ...rest.map((cell) => asCell(cell, () => element("td"))));
}

function heading(cell: Cell, scope: "row" | "col"): HTMLTableCellElement {
  return asCell(cell, () => element("th", { scope }));
}

function asCell(cell: Cell, make: () => HTMLTableCellElement): HTMLTableCellElement {
  if (cell instanceof HTMLTableCellElement) return cell;
  const made = make();
  made.append(...childrenOf(cell));
  return made;
}

function childrenOf(cell: Cell): readonly Child[] {
  return typeof cell === "string" || cell instanceof Node ? [cell] : cell;
}

// A token with its index, as a heading. `first`: the index of the first one.
export function tokenNodes(token: string, place: number, first = 1): Child[] {
  return [element("small", { textContent: first + place }), " ", element("bdi", { textContent: token })];
}

// Gives `parent` one child for each thing. Children are kept and updated, which is faster than making them anew.
export function fillChildren<Thing, Item extends Element>(
  parent: Element,
  things: readonly Thing[],
  build: (place: number) => Item,
  update: (node: Item, thing: Thing, place: number) => void,
): void {
  while (parent.children.length > things.length) parent.lastElementChild?.remove();
  while (parent.children.length < things.length) parent.append(build(parent.children.length));
  things.forEach((thing, n) => update(parent.children[n] as Item, thing, n));
}
