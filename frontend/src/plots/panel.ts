// Several plots side by side, and below them tables and sentences.

import type { Panel } from "../kit/component.ts";
import { element, type Labels, setChildren, whenStyled } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { fillTable, type TextTable } from "../kit/table.ts";
import { contentOf, type Plots } from "./content.ts";
import { Figure } from "./figure.ts";

const [NARROWEST, GAP] = [360, 32];

export class PlotsPanel implements Panel<Plots> {
  private readonly grid = element("div", { className: "plots" });
  private readonly below = element("div", { className: "facts" });
  private readonly element = element("div", { className: "view", "data-testid": "pv-root" }, this.grid, this.below);
  private readonly resizes: ResizeObserver;
  private figures: readonly Figure[] = [];
  private width = 0;
  private shownBelow = "";

  constructor(parent: HTMLElement) {
    parent.append(this.element);
    this.resizes = new ResizeObserver(() => {
      if (this.element.clientWidth !== this.width) this.refresh();
    });
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.refresh());
  }

  get picture(): HTMLElement {
    return this.element;
  }

  show({ plots, tables, notes }: Plots, labels: Labels): void {
    const before = new Map(this.figures.map((figure) => [figure.name, figure]));
    this.figures = plots.map((plot) => {
      const figure = before.get(plot.name) ?? new Figure(plot.name);
      figure.setContent(contentOf(plot), labels);
      return figure;
    });
    setChildren(
      this.grid,
      this.figures.map((figure) => figure.element),
    );
    const below = JSON.stringify([tables, notes]);
    if (below !== this.shownBelow)
      this.below.replaceChildren(...tables.map(tableOf), ...notes.map((note) => element("p", { textContent: note })));
    this.shownBelow = below;
    this.refresh();
  }

  remove(): void {
    this.resizes.disconnect();
    this.element.remove();
  }

  private refresh(): void {
    this.width = this.element.clientWidth;
    const count = this.figures.length;
    if (this.width === 0 || !count) return; // hidden, in a closed tab for instance
    const columns = Math.max(1, Math.min(count, Math.floor((this.width + GAP) / (NARROWEST + GAP))));
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const look = { ...lookOf(this.element), style: getComputedStyle(this.element) };
    const width = Math.floor((this.width - GAP * (columns - 1)) / columns);
    for (const figure of this.figures) figure.paint(width, look);
  }
}

function tableOf({ name, caption, columns, rows }: TextTable): HTMLElement {
  const table = element("table", { "data-testid": name });
  const texts = rows.map((row) => row.map(({ text }) => text));
  fillTable(table, caption, columns, texts);
  return element("div", { className: "fact-table", tabIndex: 0, role: "region", "aria-label": caption }, table);
}
