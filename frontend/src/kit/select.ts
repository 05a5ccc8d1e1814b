// A drop-down list, where there are too many options for a row of buttons.

import { element } from "./dom.ts";

export class Select {
  readonly element: HTMLElement;
  readonly #name = element("span", { className: "name" });
  readonly #list: HTMLSelectElement;
  #options = "";

  constructor(prefix: string, name: string, onChoose: (place: number) => void) {
    this.#list = element("select", { testId: `${prefix}-${name}` });
    this.#list.onchange = () => onChoose(this.#list.selectedIndex);
    this.element = element("label", { className: "choice" }, this.#name, this.#list);
  }

  setLabels(text: string): void {
    this.#name.textContent = text;
  }

  update(options: readonly string[], chosen: number): void {
    const shown = JSON.stringify(options);
    if (shown !== this.#options) {
      this.#list.replaceChildren(...options.map((textContent) => element("option", { textContent })));
      this.#options = shown;
    }
    if (this.#list.selectedIndex !== chosen) this.#list.selectedIndex = chosen;
  }
}
