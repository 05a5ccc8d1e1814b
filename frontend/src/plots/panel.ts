// Several plots side by side, then sentences that read them, further plots and tables.

import type { Panel } from "../kit/component.ts";
import { element, type Labels, setChildren } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { tellReading } from "../kit/reading.ts";
import { fillChildren, fillTable, type TextTable } from "../kit/table.ts";
import { isOnStage, roomFor, windowHeight } from "../kit/window.ts";
import { contentOf, type Plots, type SentPlot } from "./content.ts";
import { Figure } from "./figure.ts";
import type { PlotLook } from "./paint.ts";

const [NARROWEST, GAP] = [270, 24];
const PHONE = 480; // px of room, below which it is one
const OWN = 90; // px of a plot's title and legend
const NARROW_OWN = 150; // where the legend has several lines
const [LOWEST, SHARE] = [300, 0.5]; // of the window's height, which a plot may have

export class PlotsPanel implements Panel<Plots> {
  readonly #first = new Grid();
  readonly #notes = element("div", { className: "facts notes" });
  readonly #below = new Grid();
  readonly #tables = element("div", { className: "facts" });
  readonly #element = element(
    "div",
    { className: "view", testId: "pv-root" },
    this.#first.element,
    this.#notes,
    this.#below.element,
    this.#tables,
  );
  readonly #resizes: ResizeObserver;
  #width = 0;
  #shownFacts = "";

  constructor(parent: HTMLElement) {
    parent.append(this.#element);
    this.#resizes = new ResizeObserver(() => {
      if (this.#element.clientWidth !== this.#width) this.#refresh();
    });
    this.#resizes.observe(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  show({ plots, tables, notes, below }: Plots, labels: Labels): void {
    this.#first.show(plots, labels);
    this.#below.show(below, labels);
    const facts = JSON.stringify([tables, notes]);
    if (facts !== this.#shownFacts) {
      fillChildren(
        this.#notes,
        notes,
        () => element("p"),
        (line, note, n) => {
          line.textContent = note;
          if (n === 0) tellReading(line);
        },
      );
      this.#tables.replaceChildren(...tables.map(tableOf));
    }
    this.#shownFacts = facts;
    this.#refresh();
  }

  remove(): void {
    this.#resizes.disconnect();
    this.#element.remove();
  }

  #refresh(): void {
    this.#width = this.#element.clientWidth;
    if (this.#width === 0) return; // hidden, in a closed tab for instance
    const look = { ...lookOf(this.#element), style: getComputedStyle(this.#element) };
    for (const grid of [this.#first, this.#below]) grid.paint(this.#width, look);
  }
}

// Plots side by side.
class Grid {
  readonly element = element("div", { className: "plots" });
  #figures: readonly Figure[] = [];
  #narrow = 0; // plots that share a row

  show(plots: readonly SentPlot[], labels: Labels): void {
    const before = new Map(this.#figures.map((figure) => [figure.name, figure]));
    this.#figures = plots.map((plot) => {
      const figure = before.get(plot.name) ?? new Figure(plot.name);
      figure.setContent(contentOf(plot), labels);
      return figure;
    });
    this.#narrow = plots.filter(({ isWide }) => !isWide).length;
    setChildren(
      this.element,
      this.#figures.map((figure) => figure.element),
    );
  }

  paint(room: number, look: PlotLook): void {
    const fit = isOnStage() ? 3 : Math.floor((room + GAP) / (NARROWEST + GAP));
    const columns = Math.max(1, Math.min(this.#narrow, 3, fit));
    const width = Math.floor((room - GAP * (columns - 1)) / columns);
    this.element.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const [least, share] = room < PHONE ? [180, 0.24] : [LOWEST, SHARE]; // there it stays in sight above its sliders
    const tallest = isOnStage()
      ? roomFor(0, 0, room < NARROWEST * 3 ? NARROW_OWN : OWN)
      : Math.max(least, share * windowHeight());
    for (const figure of this.#figures) figure.paint(figure.isWide ? room : width, tallest, look);
  }
}

function tableOf({ name, caption, columns, rows, slugs }: TextTable): HTMLElement {
  const table = element("table", { testId: name });
  const texts = rows.map((row) => row.map(({ text }) => text));
  fillTable(table, caption, columns, texts);
  const about = { role: "region", "aria-label": caption, "data-term": slugs };
  return element("div", { className: "fact-table", tabIndex: 0, ...about }, table);
}
