// One of many options in a row, as a slider: used like a Choice.

import { element } from "../kit/dom.ts";

export class RangeChoice {
  readonly element: HTMLElement;
  readonly #label = element("span", { className: "name" });
  readonly #shown = element("span", { className: "value" });
  readonly #slider: HTMLInputElement;

  // `prefix`: of its test id.
  constructor(prefix: string, name: string, onChoose: (place: number) => void) {
    this.#slider = element("input", { type: "range", min: 0, step: 1, testId: `${prefix}-${name}` });
    this.#slider.oninput = () => onChoose(this.#slider.valueAsNumber);
    this.element = element("div", { className: "choice range" }, this.#label, this.#shown, this.#slider);
  }

  setLabels(text: string, tooltip: string): void {
    this.#label.textContent = text;
    this.#slider.title = tooltip;
    this.#slider.setAttribute("aria-label", text);
  }

  update(options: readonly string[], chosen: number): void {
    const last = String(options.length - 1);
    if (this.#slider.max !== last) this.#slider.max = last;
    if (this.#slider.valueAsNumber !== chosen) this.#slider.valueAsNumber = chosen;
    this.#shown.textContent = options[chosen] ?? "";
    this.#slider.setAttribute("aria-valuetext", options[chosen] ?? "");
  }
}
