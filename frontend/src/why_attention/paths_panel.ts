// One drawing for each type of layer: what the chosen output sees, and the shortest way from the chosen input.

import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels, setChildren } from "../kit/dom.ts";
import { RangeSlider } from "../kit/range.ts";
import { SaveMenu } from "../kit/save.ts";
import type { ViewState } from "../kit/view_state.ts";
import type { Drawings, PathsView } from "./paths_content.ts";
import { PathsDrawing } from "./paths_drawing.ts";

export class PathsPanel implements Panel<Drawings> {
  readonly #state: ViewState<PathsView>;
  readonly #input = new RangeSlider("pa-from", (input) => this.#change({ input }));
  readonly #output = new RangeSlider("pa-to", (output) => this.#change({ output }));
  readonly #grid = element("div", { className: "drawings" });
  readonly #conclusion = element("p", { className: "conclusion", testId: "pa-conclusion" });
  readonly #element: HTMLElement;
  readonly #saveMenu: SaveMenu;
  #labels: Labels = {};
  #n = 1;
  #drawings: PathsDrawing[] = [];

  constructor(parent: HTMLElement, state: ViewState<PathsView>) {
    this.#state = state;
    this.#element = element(
      "div",
      { className: "view lesson paths-view", testId: "pa-root" },
      element("div", { className: "ranges" }, this.#input.element, this.#output.element),
      this.#grid,
    );
    const saved = () => {
      const { input, output } = this.#ends();
      return { name: "paths", title: fillText(this.#labels.picture, { from: input + 1, to: output + 1 }) };
    };
    this.#saveMenu = new SaveMenu(this.#element, saved, "pa-save");
    this.#element.append(element("div", { className: "tools" }, this.#saveMenu.element));
    parent.append(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  show({ n, kinds }: Drawings, labels: Labels): void {
    this.#labels = labels;
    this.#saveMenu.setLabels(labels);
    this.#n = n;
    const before = this.#drawings;
    this.#drawings = kinds.map((kind, place) =>
      before[place]?.shows(kind, labels) ? before[place] : new PathsDrawing(kind, labels, (end) => this.#change(end)),
    );
    setChildren(this.#grid, [...this.#drawings.map(({ figure }) => figure), this.#conclusion]); // in the grid's free place
    this.#render();
  }

  remove(): void {
    this.#element.remove();
  }

  #change(end: Partial<PathsView>): void {
    this.#state.change({ ...this.#ends(), ...end });
    this.#render();
    this.#state.commitIn();
  }

  #ends(): PathsView {
    const last = this.#n - 1;
    const input = Math.min(this.#state.view.input, last);
    return { input, output: Math.max(input, Math.min(this.#state.view.output, last)) }; // nothing looks ahead
  }

  #connections(n: number): string {
    const { nothing, one, several } = this.#labels;
    return n > 1 ? fillText(several, { n }) : n ? one : nothing;
  }

  #render(): void {
    const { input, output } = this.#ends();
    const high = this.#n - 1;
    this.#input.update(fillText(this.#labels.from, { n: input + 1 }), input, { high });
    this.#output.update(fillText(this.#labels.to, { n: output + 1 }), output, { high });
    const ways = this.#drawings.map((drawing) => [drawing.id, this.#connections(drawing.mark(input, output))]);
    const ends = { from: input + 1, to: output + 1 };
    this.#conclusion.textContent = fillText(this.#labels.conclusion, { ...ends, ...Object.fromEntries(ways) });
  }
}
