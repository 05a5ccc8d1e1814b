// A matrix to mark: of weights one cell in each row, of a mask all that it takes away.

import type { Tally, TallyOf, Truth } from "../kit/classroom.ts";
import { cssOf, WEIGHTS } from "../kit/colour.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { legendEntry } from "../kit/legend.ts";
import { cellText, numberText } from "../kit/numbers.ts";
import { visible } from "../kit/tokens.ts";
import type { AskedCells, Changed, Sheet } from "./predict_sheet.ts";

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const LARGEST = 96; // px
const SMALLEST = 18;
const HEAD = 110; // px, of what stands above the cells
const SIDE = 165; // px, of what stands beside them
const HAS_NUMBERS = 27; // px of a cell that has room for its weight

export class CellsSheet implements Sheet {
  readonly element: HTMLElement;
  readonly #asked: AskedCells;
  readonly #labels: Labels;
  readonly #changed: Changed;
  readonly #cells: HTMLButtonElement[];
  readonly #heads: readonly HTMLElement[]; // of the columns
  readonly #legend = element("p", { className: "legend" });
  readonly #scroller = element("div", { className: "scroller" });
  readonly #class = element("table", { className: "sheet-cells class", testId: "predict-class" });
  #hasClass = false;
  #classHeads: readonly HTMLElement[] = [];
  readonly #marked = new Set<number>();
  readonly #isMask: boolean;
  #isRevealed = false;
  #focused = 0;
  #painting: boolean | null = null; // what a pointer makes of the cells that it is drawn over

  constructor(asked: AskedCells, labels: Labels, changed: Changed) {
    this.#asked = asked;
    this.#labels = labels;
    this.#changed = changed;
    this.#isMask = asked.of === "mask";
    const { rows, columns, writes, titles } = asked;
    this.#cells = rows.flatMap((_, row) => columns.map((_, column) => this.#cellAt(row, column)));
    this.#heads = columns.map(headOf);
    const body = rows.map((token, row) => {
      const cells = this.#cells.slice(row * columns.length, (row + 1) * columns.length);
      const read = visible(token);
      const name = writes.length ? fillText(labels.writes, { read, written: visible(writes[row]) }) : read;
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, named(name)),
        ...cells.map((one) => element("td", {}, one)),
      );
    });
    const corner = element("td", { className: "corner" }, titles[1]);
    const table = element(
      "table",
      { className: this.#isMask ? "sheet-cells mask" : "sheet-cells", testId: "predict-cells" },
      element("caption", {}, titles[0]),
      element("thead", {}, element("tr", {}, corner, ...this.#heads)),
      element("tbody", {}, ...body),
    );
    table.onkeydown = (event) => this.#onKey(event);
    table.onpointermove = (event) => this.#onMove(event);
    table.onpointerup = () => this.#stop();
    table.onpointercancel = () => this.#stop();
    this.#scroller.append(table);
    this.element = element("div", { className: "sheet" }, this.#scroller, this.#legend);
    this.#show();
  }

  guess(): number[] | null {
    return this.#marked.size ? [...this.#marked].sort((a, b) => a - b) : null;
  }

  restore(guess: unknown): void {
    this.#marked.clear();
    if (Array.isArray(guess)) for (const place of guess) if (this.#mayMark(place)) this.#mark(place, true);
    this.#show();
  }

  truth(): Truth {
    const { truth, rows, columns } = this.#asked;
    return { values: [...truth.values], rows, columns, mask: this.#isMask };
  }

  reveal(isRevealed: boolean): void {
    this.#isRevealed = isRevealed;
    this.#show();
  }

  // The same matrix once more, beside it: in how many answers each cell is marked.
  tally(tally: Tally | null): void {
    this.#hasClass = tally?.kind === "cells" && tally.counts.length === this.#cells.length;
    this.#class.remove();
    if (tally?.kind !== "cells" || !this.#hasClass) return;
    this.#fillClass(tally);
    this.#scroller.append(this.#class);
  }

  #fillClass({ answers, counts }: TallyOf<"cells">): void {
    const labels = this.#labels;
    const { rows, columns, allowed } = this.#asked;
    const cellAt = (row: number, column: number): HTMLElement => {
      const place = row * columns.length + column;
      const [count, i, j] = [counts[place], row + 1, column + 1];
      const name = fillText(labels.cell, { i, j, row: visible(rows[row]), column: visible(columns[column]) });
      const title = fillText(labels.cell_count, { cell: name, count, answers });
      const may = allowed.values[place] === 1;
      const cell = element("span", { className: may ? "count" : "count masked", title, "aria-label": title });
      cell.role = "img";
      if (may) cell.style.setProperty("--share", (count / Math.max(1, answers)).toFixed(4));
      if (may) cell.textContent = String(count);
      if (may && 2 * count > answers) cell.classList.add("many");
      return element("td", { testId: `predict-class-${i}-${j}` }, cell);
    };
    const body = rows.map((token, row) => {
      const head = element("th", { scope: "row" }, named(visible(token)));
      return element("tr", {}, head, ...columns.map((_, column) => cellAt(row, column)));
    });
    this.#class.replaceChildren(
      element("caption", {}, fillText(labels.class_cells, { count: answers })),
      element("thead", {}, element("tr", {}, element("td", {}), ...columns.map(headOf))),
      element("tbody", {}, ...body),
    );
    this.#classHeads = [...this.#class.querySelectorAll<HTMLElement>("th[scope=col]")];
  }

  fit(width: number, height: number): void {
    const { rows, columns } = this.#asked;
    const across = this.#hasClass ? 2 : 1;
    const room = Math.min((width - across * SIDE) / (across * columns.length), (height - HEAD) / rows.length, LARGEST);
    const size = Math.max(this.#isRevealed ? SMALLEST : SMALLEST + 6, Math.floor(room));
    this.element.style.setProperty("--cell", `${size}px`);
    const font = Math.max(12, Math.min(0.42 * size, 20)); // see predict.css
    for (const heads of [this.#heads, this.#classHeads])
      heads.forEach((head, n) => {
        head.classList.toggle("turned", font * ems(columns[n]) > size);
      });
    this.element.classList.toggle("numbers", size >= HAS_NUMBERS);
  }

  said(): string {
    return this.#isRevealed ? "" : this.#labels[this.#isMask ? "hint_mask" : "hint_weights"];
  }

  #cellAt(row: number, column: number): HTMLButtonElement {
    const place = row * this.#asked.columns.length + column;
    const cell = element("button", { type: "button", testId: `predict-cell-${row + 1}-${column + 1}` });
    cell.dataset.place = String(place);
    cell.onpointerdown = (event) => this.#onDown(event, place);
    // Only from the keyboard or a screen reader (`detail` is 0): a pointer has acted when it went down.
    cell.onclick = (event) => {
      if (event.detail === 0) this.#press(place, !this.#marked.has(place));
    };
    return cell;
  }

  #onDown(event: PointerEvent, place: number): void {
    if (event.button !== 0) return;
    this.#painting = !this.#marked.has(place);
    // Otherwise all events of a finger would go to the cell in which it began.
    if (event.target instanceof Element && event.target.hasPointerCapture?.(event.pointerId))
      event.target.releasePointerCapture(event.pointerId);
    this.#press(place, this.#painting);
  }

  #onMove(event: PointerEvent): void {
    if (this.#painting === null || !this.#isMask || !event.buttons) return;
    const target = event.target instanceof HTMLElement ? event.target.closest("button") : null;
    if (target?.dataset.place) this.#press(Number(target.dataset.place), this.#painting);
  }

  #stop(): void {
    this.#painting = null;
  }

  #onKey(event: KeyboardEvent): void {
    const by = MOVES[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return; // which are the browser's
    event.preventDefault();
    event.stopPropagation();
    const { rows, columns } = this.#asked;
    const row = Math.floor(this.#focused / columns.length) + by[0];
    const column = (this.#focused % columns.length) + by[1];
    if (row < 0 || row >= rows.length || column < 0 || column >= columns.length) return;
    this.#focusOn(row * columns.length + column);
    this.#cells[this.#focused].focus();
  }

  #press(place: number, isMarked: boolean): void {
    this.#focusOn(place);
    if (this.#isRevealed || !this.#mayMark(place) || this.#marked.has(place) === isMarked) return;
    this.#mark(place, isMarked);
    for (const one of this.#group(place)) this.#showCell(one);
    this.#showLegend();
    this.#changed();
  }

  #focusOn(place: number): void {
    this.#cells[this.#focused].tabIndex = -1;
    this.#focused = place;
    this.#cells[place].tabIndex = 0;
  }

  #mayMark(place: unknown): place is number {
    return Number.isInteger(place) && this.#asked.allowed.values[place as number] === 1;
  }

  #mark(place: number, isMarked: boolean): void {
    for (const one of this.#group(place)) this.#marked.delete(one);
    if (isMarked) this.#marked.add(place);
  }

  // The places of which only one can be marked: a row of weights; in a mask, just the place itself.
  #group(place: number): number[] {
    const { length } = this.#asked.columns;
    return this.#isMask ? [place] : Array.from({ length }, (_, n) => place - (place % length) + n);
  }

  #show(): void {
    for (const place of this.#cells.keys()) this.#showCell(place);
    this.#focusOn(this.#focused);
    this.#showLegend();
  }

  // Of what is there.
  #showLegend(): void {
    const { yours, most, taken, wrong } = this.#labels;
    const names = { own: yours, ...(this.#isRevealed && (this.#isMask ? { masked: taken, wrong } : { most })) };
    const shown = Object.entries(names).filter(([name]) => this.#cells.some((cell) => cell.classList.contains(name)));
    this.#legend.replaceChildren(...shown.map(([name, text]) => legendEntry(name, text)));
  }

  #showCell(place: number): void {
    const cell = this.#cells[place];
    const asked = this.#asked;
    const labels = this.#labels;
    const isRevealed = this.#isRevealed;
    const isMask = this.#isMask;
    const { rows, columns, truth, allowed } = asked;
    const [row, column] = [Math.floor(place / columns.length), place % columns.length];
    const value = truth.values[place];
    const own = truth.values.subarray(row * columns.length, (row + 1) * columns.length);
    const isMarked = this.#marked.has(place);
    const may = allowed.values[place] === 1;
    const isPainted = isRevealed && !isMask && may;
    cell.className = [
      isMarked ? "own" : "",
      !may || (isMask && isRevealed && value > 0) ? "masked" : "",
      isPainted && value === Math.max(...own) ? "most" : "",
      isMask && isRevealed && this.#marked.size && isMarked !== value > 0 ? "wrong" : "",
    ]
      .filter(Boolean)
      .join(" ");
    cell.style.background = isPainted ? cssOf(WEIGHTS.pixelOf(value)) : "";
    cell.style.color = isPainted ? WEIGHTS.inkOn(value) : "";
    cell.textContent = isPainted ? cellText(value) : "";
    const i = row + 1;
    const j = column + 1;
    let said = fillText(labels.cell, { i, j, row: visible(rows[row]), column: visible(columns[column]) });
    if (isPainted) said = fillText(labels.cell_weight, { cell: said, weight: numberText(value) });
    else if (!may) said = fillText(labels.not_allowed, { cell: said });
    else if (isRevealed) said = fillText(value > 0 ? labels.cell_taken : labels.cell_left, { cell: said });
    if (isMarked) said = fillText(labels.marked, { cell: said });
    cell.setAttribute("aria-label", said);
    cell.setAttribute("aria-pressed", String(isMarked));
    cell.title = said;
    cell.setAttribute("aria-disabled", String(!may || isRevealed));
  }
}

// The approximate width of a token in em: Chinese characters are as wide as they are high.
function ems(token: string): number {
  return Array.from(visible(token), (sign): number => (sign > "\u2e7f" ? 1 : 0.55)).reduce((sum, one) => sum + one, 0);
}

const headOf = (token: string): HTMLElement => element("th", { scope: "col" }, named(token));

function named(token: string): HTMLElement {
  return element("bdi", { textContent: visible(token), title: visible(token) });
}
