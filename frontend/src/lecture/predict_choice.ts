// Options of which one is chosen; once it is revealed, the right one, and how many of a class chose each.

import type { Tally, Truth } from "../kit/classroom.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import type { AskedChoice, Changed, Sheet } from "./predict_sheet.ts";

export class ChoiceSheet implements Sheet {
  readonly element: HTMLElement;
  readonly #asked: AskedChoice;
  readonly #labels: Labels;
  readonly #inputs: readonly HTMLInputElement[];
  readonly #lines: readonly HTMLElement[];
  readonly #counts: readonly HTMLElement[];
  #isRevealed = false;

  constructor(asked: AskedChoice, labels: Labels, changed: Changed) {
    this.#asked = asked;
    this.#labels = labels;
    this.#inputs = asked.options.map(() => element("input", { type: "radio", name: asked.id }));
    for (const input of this.#inputs) input.onchange = changed;
    this.#counts = asked.options.map(() => element("span", { className: "count" }));
    this.#lines = asked.options.map((_, n) =>
      element("label", {}, this.#inputs[n], element("bdi", {}, optionText(asked, n)), this.#counts[n]),
    );
    const options = element("div", { className: "options", testId: "predict-choice" }, ...this.#lines);
    options.role = "radiogroup";
    options.ariaLabel = asked.task;
    this.element = element("div", { className: "sheet" }, options);
  }

  // As the one cell of a matrix of one row, which is how a room counts it.
  guess(): number[] | null {
    const chosen = this.#chosen();
    return chosen < 0 ? null : [chosen];
  }

  restore(guess: unknown): void {
    const chosen = Array.isArray(guess) ? guess[0] : null;
    this.#inputs.forEach((input, n) => {
      input.checked = n === chosen;
    });
  }

  truth(): Truth {
    const { options, right } = this.#asked;
    return { values: options.map((_, n) => Number(n === right)), rows: [""], columns: options, mask: false };
  }

  reveal(isRevealed: boolean): void {
    this.#isRevealed = isRevealed;
    this.#lines.forEach((line, n) => {
      this.#inputs[n].disabled = isRevealed;
      line.classList.toggle("right", isRevealed && n === this.#asked.right);
    });
  }

  tally(tally: Tally | null): void {
    this.#counts.forEach((count, n) => {
      const chosen = tally?.kind === "cells" ? tally.counts[n] : undefined;
      count.textContent = chosen === undefined ? "" : String(chosen);
      this.#lines[n].style.setProperty("--share", String((chosen ?? 0) / Math.max(1, tally?.answers ?? 1)));
    });
  }

  fit(): void {}

  said(): string {
    const { right } = this.#asked;
    if (!this.#isRevealed || right === null) return "";
    return fillText(this.#labels.right_is, { option: optionText(this.#asked, right) });
  }

  #chosen(): number {
    return this.#inputs.findIndex(({ checked }) => checked);
  }
}

// "B. Both are the same"
const optionText = ({ options }: AskedChoice, n: number): string => `${String.fromCharCode(65 + n)}. ${options[n]}`;
