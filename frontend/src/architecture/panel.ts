// The figure, and beside it the chosen box: what it is, its page, its recorded tensors.

import { Choice, numbers } from "../kit/choice.ts";
import type { Panel } from "../kit/component.ts";
import { element, type Labels } from "../kit/dom.ts";
import { SaveMenu } from "../kit/save.ts";
import { fillTable, rowOf } from "../kit/table.ts";
import type { ViewState } from "../kit/view_state.ts";
import { READING, speak } from "../kit/voice.ts";
import type { ArchitectureView, BoxTensor, Figure } from "./content.ts";
import { Drawing } from "./drawing.ts";

export class ArchitecturePanel implements Panel<Figure> {
  readonly #state: ViewState<ArchitectureView>;
  readonly #drawing: Drawing;
  readonly #layers: Choice;
  readonly #title = element("h2", { className: "title", testId: "ar-title" });
  readonly #text = element("p", { className: "text" });
  readonly #link = element("a", { className: "page", target: "_self", testId: "ar-link" });
  readonly #table = element("table", { testId: "ar-tensors" });
  readonly #element: HTMLElement;
  readonly #saveMenu: SaveMenu;
  #figure: Figure | null = null;
  #labels: Labels = {};
  #drawn = "";

  constructor(parent: HTMLElement, state: ViewState<ArchitectureView>) {
    this.#state = state;
    this.#drawing = new Drawing((box, isFocusMoved) => this.#change({ box, tensor: null }, isFocusMoved));
    this.#layers = new Choice("ar", "layer", (layer) => this.#change({ layer }));
    const chosen = element(
      "section",
      { className: "chosen" },
      this.#title,
      this.#text,
      this.#layers.element,
      this.#table,
      this.#link,
    );
    const drawn = element("div", {}, this.#drawing.element);
    const saved = () => ({ name: "architecture", title: this.#labels.picture });
    this.#saveMenu = new SaveMenu(drawn, saved, "ar-save");
    drawn.append(element("div", { className: "tools" }, this.#saveMenu.element));
    this.#element = element("div", { className: "view lesson architecture-view", testId: "ar-root" }, drawn, chosen);
    parent.append(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  show(figure: Figure, labels: Labels): void {
    this.#figure = figure;
    this.#labels = labels;
    this.#saveMenu.setLabels(labels);
    const drawn = JSON.stringify([figure, labels]);
    if (drawn !== this.#drawn) this.#drawing.show(figure, labels);
    this.#drawn = drawn;
    this.#layers.setLabels(labels.layer, "");
    this.#render(figure, false);
  }

  remove(): void {
    this.#element.remove();
  }

  #change(part: Partial<ArchitectureView>, isFocusMoved = false): void {
    this.#state.change(part);
    if (this.#figure) this.#render(this.#figure, isFocusMoved);
    this.#state.commitIn(isFocusMoved ? undefined : 0);
  }

  #render({ boxes }: Figure, isFocusMoved: boolean): void {
    const { view } = this.#state;
    const box = boxes.find(({ id }) => id === view.box) ?? boxes[0];
    this.#drawing.update(box.id, isFocusMoved);
    this.#title.textContent = box.title.replaceAll("\n", " ");
    this.#text.textContent = box.text;
    speak(this.#text, READING);
    const layer = Math.min(view.layer, box.layers.length - 1);
    this.#layers.element.hidden = box.layers.length < 2;
    this.#layers.update(numbers(box.layers.length), layer);
    const { href, tensors } = box.layers[layer];
    this.#link.href = href;
    this.#link.textContent = box.page;
    this.#showTensors(tensors, view.tensor ?? box.main);
  }

  #showTensors(tensors: readonly BoxTensor[], chosen: string): void {
    const rows = tensors.map(({ stage, name, letters, shape }) => {
      const button = element("button", {
        type: "button",
        textContent: stage,
        title: name,
        testId: `ar-tensor-${stage}`,
        "aria-pressed": String(stage === chosen),
        onclick: () => this.#change({ tensor: stage }),
      });
      return rowOf([button, letters, shape], stage === chosen ? "taken" : "");
    });
    const { recorded, tensor, letters, shape } = this.#labels;
    fillTable(this.#table, recorded, [tensor, letters, shape], rows);
  }
}
