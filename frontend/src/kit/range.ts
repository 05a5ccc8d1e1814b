// A slider with its value in words above it, for the drawings of the lessons.

import { element } from "./dom.ts";

export class RangeSlider {
  readonly element: HTMLElement;
  readonly #name = element("span");
  readonly #input: HTMLInputElement;

  constructor(testId: string, onChange: (value: number) => void) {
    this.#input = element("input", { type: "range", testId: testId });
    this.#input.oninput = () => onChange(this.#input.valueAsNumber);
    this.element = element("label", { className: "range" }, this.#name, this.#input);
  }

  // `text`: the value in words.
  update(
    text: string,
    value: number,
    { low = 0, high, step = 1 }: { low?: number; high: number; step?: number },
  ): void {
    Object.assign(this.#input, { min: low, max: high, step, disabled: low === high });
    if (Math.abs(this.#input.valueAsNumber - value) >= step / 2) this.#input.valueAsNumber = value;
    this.#name.textContent = text;
    this.#input.setAttribute("aria-valuetext", text);
  }
}
