// The pinned cell unfolded beside the matrices: each number from the score to the weight, the one of this stage lit.

import { type Child, element, fillNodes, type Labels } from "../kit/dom.ts";
import { numberText, valueText } from "../kit/numbers.ts";
import { tellReading } from "../kit/reading.ts";
import { indexOf } from "./matrix.ts";
import type { Sheet, SheetMatrix, Term } from "./sheet.ts";
import { isAllowed, matrixWords, topColumns } from "./words.ts";

export class Drawer {
  readonly element: HTMLElement;
  readonly #title = element("h2", { className: "title" });
  readonly #cell = element("p", { className: "drawer-cell" });
  readonly #rows = element("tbody");
  readonly #table: HTMLTableElement;
  readonly #reading = element("p", { className: "drawer-reading", testId: "mv-reading" });

  constructor() {
    this.#table = element("table", { testId: "mv-terms" }, this.#rows);
    this.element = element(
      "section",
      { className: "drawer", testId: "mv-drawer" },
      this.#title,
      this.#cell,
      this.#table,
      this.#reading,
    );
  }

  show(
    { terms, matrices }: Sheet,
    pinned: readonly [row: number, column: number] | null,
    stage: number,
    labels: Labels,
  ) {
    this.element.hidden = this.#reading.hidden = terms.length === 0;
    if (!terms.length) {
      tellReading(this.#reading);
      return;
    }
    this.#title.textContent = labels.drawer;
    this.element.setAttribute("aria-label", labels.drawer);
    const owner = matrices[terms[0].matrix];
    const isThere = pinned !== null && pinned[0] < owner.rowLabels.length && pinned[1] < owner.columnLabels.length;
    this.#table.hidden = this.#reading.hidden = !isThere;
    if (!isThere) {
      this.#cell.replaceChildren(labels.hint);
      tellReading(this.#reading);
      return;
    }
    const [i, j] = pinned;
    this.#cell.replaceChildren(...matrixWords(owner, labels).names(owner, [i, j]));
    this.#rows.replaceChildren(
      ...terms.map((term) => {
        const number = element("td", { textContent: termText(matrices[term.matrix], term, i, j) });
        const row = element("tr", {}, element("th", { scope: "row", textContent: term.label }), number);
        row.classList.toggle("lit", term.stage === stage);
        return row;
      }),
    );
    this.#reading.replaceChildren(...readingOf(matrices[terms[terms.length - 1].matrix], i, labels));
    tellReading(this.#reading);
  }
}

// The number of a term. Exponentials are computed here in float64, from the masked scores in float32.
export function termText(matrix: SheetMatrix, { kind }: Term, i: number, j: number): string {
  const columns = matrix.columnLabels.length;
  const row = Array.from(matrix.values.slice(i * columns, (i + 1) * columns));
  if (kind === "number") return valueText({ ...matrix, isWhole: false }, row[j]);
  const largest = Math.max(...row);
  const powers = row.map((value) => Math.exp(value - largest));
  return numberText(kind === "exp" ? powers[j] : powers.reduce((sum, one) => sum + one, 0));
}

// What the pinned row says: "While writing world, this head puts 93 % of its weight on 世界."
function readingOf(weights: SheetMatrix, i: number, labels: Labels): Child[] {
  const [strongest] = topColumns(weights, i, 1);
  if (strongest === undefined || !isAllowed(weights, i, strongest)) return [];
  const values = {
    query: weights.rowLabels[i] ?? String(indexOf(weights, i)),
    written: weights.rowEnds[i] ?? "",
    key: weights.columnLabels[strongest] ?? String(indexOf(weights, strongest)),
    percent: (100 * weights.values[i * weights.columnLabels.length + strongest]).toFixed(0),
  };
  return fillNodes(weights.rowEnds.length ? labels.reading_written : labels.reading, values);
}
