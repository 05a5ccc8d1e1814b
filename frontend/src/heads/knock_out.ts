// Each head as a button that takes it out, with how much log p falls when only this head is out.

import type { Tensor } from "../kit/codec.ts";
import { cssOf, divergingTo } from "../kit/colour.ts";
import type { Labels, Panel } from "../kit/component.ts";
import { element, fillText } from "../kit/dom.ts";
import { scaleElement } from "../kit/legend.ts";
import { lookOf } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { type Saved, SaveMenu } from "../kit/save.ts";
import { headRow, rowOf } from "../kit/table.ts";
import type { ViewState } from "../kit/view_state.ts";

export interface KnockOutView {
  readonly off: readonly number[]; // the heads that are taken out, by their places: row by row, from 0
}

interface Row {
  readonly label: string; // "cross 2"
  readonly heads: readonly string[]; // "cross 2.1" …
}

export interface Impacts {
  readonly rows: readonly Row[];
  readonly falls: Tensor<Float64Array>; // nats, of all heads, row by row
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const MANY = 10; // rows; where there are more, they are lower, so that all fit on a screen

export class KnockOutPanel implements Panel<Impacts> {
  readonly #state: ViewState<KnockOutView>;
  readonly #table = element("table", { className: "knock-out", testId: "ko-grid", "data-term": "head" });
  readonly #legend = element("div", { className: "legend", testId: "ko-legend" });
  readonly #element: HTMLElement;
  readonly #saveMenu: SaveMenu;
  #impacts: Impacts | null = null;
  #labels: Labels = {};
  #buttons: HTMLButtonElement[][] = []; // by row and head
  readonly #parent: HTMLElement;

  constructor(parent: HTMLElement, state: ViewState<KnockOutView>) {
    this.#state = state;
    this.#parent = parent;
    this.#table.onkeydown = (event) => this.#onKey(event);
    this.#element = element(
      "div",
      { className: "view heads-view", testId: "ko-root" },
      element("div", { className: "scroller" }, this.#table),
      this.#legend,
    );
    this.#saveMenu = new SaveMenu(this.#element, () => this.#saved(), "ko-save");
    this.#element.append(element("div", { className: "tools" }, this.#saveMenu.element));
    parent.append(this.#element);
  }

  show(impacts: Impacts, labels: Labels): void {
    this.#impacts = impacts;
    this.#labels = labels;
    this.#saveMenu.setLabels(labels);
    const { rows } = impacts;
    const count = Math.max(...rows.map(({ heads }) => heads.length));
    this.#table.setAttribute("aria-label", labels.grid);
    this.#table.classList.toggle("many", rows.length > MANY);
    this.#buttons = rows.map(({ heads }, row) => heads.map((name, head) => this.#button(name, row, head)));
    this.#table.replaceChildren(
      element("thead", {}, headRow(["", ...Array.from({ length: count }, (_, n) => headText(labels, n))])),
      element("tbody", {}, ...rows.map(({ label }, row) => rowOf([label, ...this.#buttons[row]]))),
    );
    this.#paint();
  }

  remove(): void {
    this.#element.remove();
  }

  #button(name: string, row: number, head: number): HTMLButtonElement {
    return element(
      "button",
      {
        type: "button",
        testId: `ko-${name.replace(" ", "-")}`,
        tabIndex: row + head ? -1 : 0,
        onclick: () => this.#toggle(row, head),
      },
      element("span"),
    );
  }

  #toggle(row: number, head: number): void {
    if (!this.#impacts) return;
    const place = placeOf(this.#impacts.rows, row, head);
    const { off } = this.#state.view;
    const next = off.includes(place) ? off.filter((one) => one !== place) : [...off, place];
    this.#state.change({ off: next.sort((a, b) => a - b) });
    this.#paint();
    this.#state.commitIn();
  }

  // Every number's colour, and which heads are out.
  #paint(): void {
    const impacts = this.#impacts;
    const labels = this.#labels;
    if (!impacts) return;
    const { isDark } = lookOf(this.#element);
    const { values } = impacts.falls;
    const scale = divergingTo(Math.max(...values.map(Math.abs)) || 1, isDark);
    const { off } = this.#state.view;
    impacts.rows.forEach(({ heads }, row) => {
      heads.forEach((name, head) => {
        const place = placeOf(impacts.rows, row, head);
        const value = values[place];
        const button = this.#buttons[row][head];
        const isOut = off.includes(place);
        const said = labels[`${isOut ? "out" : "in"}_${value < 0 ? "rises" : "falls"}`];
        const words = fillText(said, { head: name, number: numberText(Math.abs(value)) });
        button.children[0].textContent = numberText(value, 3);
        button.style.setProperty("background-color", cssOf(scale.pixelOf(value)));
        button.style.setProperty("color", scale.inkOn(value));
        button.setAttribute("aria-pressed", String(isOut));
        button.setAttribute("aria-label", words);
        button.title = words;
      });
    });
    this.#legend.replaceChildren(element("span", { className: "entry" }, labels.fall, scaleElement(scale)));
  }

  #saved(): Saved | null {
    const impacts = this.#impacts;
    const labels = this.#labels;
    if (!impacts) return null;
    const { rows, falls } = impacts;
    const numbers = () =>
      rows.flatMap(({ heads }, row) => heads.map((name, head) => [name, falls.values[placeOf(rows, row, head)]]));
    return { name: "knock-out", title: labels.grid, rows: () => [["", labels.fall], ...numbers()] };
  }

  #onKey(event: KeyboardEvent): void {
    const move = MOVES[event.key];
    if (!move) return;
    const focused = (this.#parent.getRootNode() as ShadowRoot | Document).activeElement as HTMLButtonElement;
    const row = this.#buttons.findIndex((line) => line.includes(focused));
    if (row < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.#buttons[row + move[0]]?.[this.#buttons[row].indexOf(focused) + move[1]];
    if (!next) return;
    focused.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

// The index of a head among all heads.
function placeOf(rows: readonly Row[], row: number, head: number): number {
  return rows.slice(0, row).reduce((sum, { heads }) => sum + heads.length, head);
}

function headText(labels: Labels, head: number): string {
  return fillText(labels.head_n, { head: head + 1 });
}
