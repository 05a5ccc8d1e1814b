// A field for a number; once it is revealed, both numbers on one line.

import { element, fillText, type Labels } from "../kit/dom.ts";
import { axisText, numberText } from "../kit/numbers.ts";
import { svg } from "../kit/svg.ts";
import { numberOf, scoreNumber } from "./predict_score.ts";
import type { AskedNumber, Changed, Sheet } from "./predict_sheet.ts";

const WIDTH = 560;
const HEIGHT = 96;
const EDGE = 60;
const MIDDLE = 48;

export class NumberSheet implements Sheet {
  readonly element: HTMLElement;
  private readonly asked: AskedNumber;
  private readonly labels: Labels;
  private readonly field: HTMLInputElement;
  private readonly line = element("div", { className: "number-line", "data-testid": "predict-line", hidden: true });
  private isRevealed = false;

  constructor(asked: AskedNumber, labels: Labels, changed: Changed) {
    this.asked = asked;
    this.labels = labels;
    this.field = element("input", {
      type: "text",
      inputMode: "decimal",
      className: "large-field",
      maxLength: 20,
      autocomplete: "off",
      "aria-label": labels.number_field,
      "data-testid": "predict-number",
    });
    this.field.oninput = changed;
    this.element = element("div", { className: "sheet" }, element("p", { className: "line" }, this.field), this.line);
  }

  guess(): string | null {
    return numberOf(this.field.value) === null ? null : this.field.value.trim();
  }

  restore(guess: unknown): void {
    this.field.value = typeof guess === "string" && numberOf(guess) !== null ? guess : "";
  }

  score(): number {
    return scoreNumber(this.asked.value, numberOf(this.field.value) ?? Number.NaN);
  }

  reveal(isRevealed: boolean): void {
    this.isRevealed = isRevealed;
    this.field.readOnly = isRevealed;
    this.line.hidden = !isRevealed;
    this.line.replaceChildren(...(isRevealed ? [this.picture()] : []));
  }

  fit(): void {}

  said(): string {
    const { asked, labels } = this;
    const own = numberOf(this.field.value);
    const truth = textOf(asked.value);
    if (!this.isRevealed) return own === null && this.field.value.trim() ? labels.no_number : "";
    return own === null
      ? fillText(labels.number_true, { true: truth })
      : fillText(labels.number_both, { yours: textOf(own), true: truth });
  }

  // From 0, or the smaller number where that is less.
  private picture(): SVGElement {
    const { asked, labels } = this;
    const own = numberOf(this.field.value);
    const numbers = [0, asked.value, ...(own === null ? [] : [own])];
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const xOf = (value: number) => EDGE + ((value - low) / (high - low || 1)) * (WIDTH - 2 * EDGE);
    const mark = (value: number, name: string, className: string, side: -1 | 1) => [
      svg("circle", { cx: xOf(value), cy: MIDDLE, r: 7, class: className }),
      svg("text", { x: xOf(value), y: MIDDLE + side * 22 + 5, "text-anchor": "middle" }, `${name} ${textOf(value)}`),
    ];
    return svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": this.said() },
      svg("line", { x1: EDGE, x2: WIDTH - EDGE, y1: MIDDLE, y2: MIDDLE, class: "axis" }),
      svg("line", { x1: xOf(0), x2: xOf(0), y1: MIDDLE - 6, y2: MIDDLE + 6, class: "axis" }),
      ...mark(asked.value, labels.model, "truth", -1),
      ...(own === null ? [] : mark(own, labels.yours, "own", 1)),
    );
  }
}

const textOf = (value: number): string => (Number.isInteger(value) ? axisText(value) : numberText(value));
