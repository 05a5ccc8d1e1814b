// Tables that change cell by cell, without being built anew.

import type { Panel } from "../kit/component.ts";
import { element } from "../kit/dom.ts";
import { tellReading } from "../kit/reading.ts";
import { fillChildren, type TextTable } from "../kit/table.ts";

export interface Tables {
  readonly line: string;
  readonly problem: string;
  readonly tables: readonly TextTable[];
  readonly conclusion: string;
}

export class TablesPanel implements Panel<Tables> {
  readonly #line = element("p", { className: "line" });
  readonly #problem = element("p", { className: "problem", role: "alert", testId: "table-problem" });
  readonly #grid = element("div", { className: "tables" });
  readonly #conclusion = element("p", { className: "conclusion", testId: "table-conclusion" });
  readonly #element = element(
    "div",
    { className: "view lesson table-view" },
    this.#problem,
    this.#grid,
    this.#line,
    this.#conclusion,
  );
  readonly #shown = new WeakMap<Element, LiveTable>();

  constructor(parent: HTMLElement) {
    parent.append(this.#element);
  }

  show({ line, problem, tables, conclusion }: Tables): void {
    setLine(this.#line, line);
    setLine(this.#problem, problem);
    setLine(this.#conclusion, conclusion);
    tellReading(this.#conclusion);
    this.#grid.hidden = !tables.length; // while there is a problem, the last tables are kept, so as not to be built anew
    if (!tables.length) return;
    fillChildren(
      this.#grid,
      tables,
      () => this.#newTable(),
      (box, table) => this.#shown.get(box)?.show(table),
    );
  }

  remove(): void {
    this.#element.remove();
  }

  #newTable(): HTMLElement {
    const table = new LiveTable();
    this.#shown.set(table.element, table);
    return table.element;
  }
}

class LiveTable {
  readonly #lead = element("p", { className: "lead" });
  readonly #caption = element("p", { className: "caption" });
  readonly #head = element("tr");
  readonly #body = element("tbody");
  readonly #table = element("table", {}, element("thead", {}, this.#head), this.#body);
  readonly #scroller = element("div", { className: "table-scroll", tabIndex: 0, role: "region" }, this.#table);
  readonly element = element("div", { className: "table" }, this.#lead, this.#caption, this.#scroller);
  readonly #shades = new WeakMap<Element, number>();

  show({ name, lead, caption, columns, rows, slugs }: TextTable): void {
    this.#table.setAttribute("data-testid", name);
    this.element.setAttribute("data-term", slugs);
    this.#lead.setAttribute("data-testid", `${name}-lead`);
    setLine(this.#lead, lead);
    setText(this.#caption, caption);
    for (const node of [this.#table, this.#scroller]) node.setAttribute("aria-label", caption);
    fillChildren(
      this.#head,
      columns,
      (n) => (columns[n] ? element("th", { scope: "col" }) : element("td")),
      (node, text, n) => {
        setLook(node, /\btext\b/.test(rows[0][n].look) ? "text" : "");
        setText(node, text);
      },
    );
    fillChildren(
      this.#body,
      rows,
      () => element("tr"),
      (row, cells) => {
        fillChildren(
          row,
          cells,
          (n) => (n || !cells[0].text ? element("td") : element("th", { scope: "row" })),
          (node, cell) => {
            setLook(node, cell.look);
            if (this.#shades.get(node) !== cell.shade) node.style.setProperty("--share", `${100 * cell.shade}%`);
            this.#shades.set(node, cell.shade);
            setText(node, cell.text);
          },
        );
      },
    );
  }
}

function setLook(node: HTMLElement, look: string): void {
  if (node.className !== look) node.className = look;
}

function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.replaceChildren(element("bdi", { textContent: text }));
}

// A line that is not there takes no room.
function setLine(node: HTMLElement, text: string): void {
  setText(node, text);
  node.hidden = !text;
}
