// A field for a number; once it is revealed, both numbers on one line, and how a class answered above it.

import type { Tally, TallyOf, Truth } from "../kit/classroom.ts";
import { element, fillText, inARow, type Labels } from "../kit/dom.ts";
import { axisText, numberText } from "../kit/numbers.ts";
import { WORDLESS } from "../kit/score.ts";
import { svg } from "../kit/svg.ts";
import { numberOf } from "../kit/typed_number.ts";
import type { AskedNumber, Changed, Sheet } from "./predict_sheet.ts";

const WIDTH = 560;
const HEIGHT = 96;
const EDGE = 60;
const MIDDLE = 48;
const BARS = 72; // px above it, where a class has answered
const BINS = 24;
const FAR = 0.05; // of a class at each end may lie beyond the line

export class NumberSheet implements Sheet {
  readonly element: HTMLElement;
  readonly #asked: AskedNumber;
  readonly #labels: Labels;
  readonly #field: HTMLInputElement;
  readonly #line = element("div", { className: "number-line", testId: "predict-line", hidden: true });
  #isRevealed = false;
  #class: TallyOf<"number"> | null = null;

  constructor(asked: AskedNumber, labels: Labels, changed: Changed) {
    this.#asked = asked;
    this.#labels = labels;
    this.#field = element("input", {
      type: "text",
      inputMode: "decimal",
      className: "large-field",
      maxLength: 20,
      autocomplete: "off",
      "aria-label": labels.number_field,
      testId: "predict-number",
    });
    this.#field.oninput = changed;
    this.element = element("div", { className: "sheet" }, element("p", { className: "line" }, this.#field), this.#line);
  }

  guess(): string | null {
    return numberOf(this.#field.value) === null ? null : this.#field.value.trim();
  }

  restore(guess: unknown): void {
    this.#field.value = typeof guess === "string" && numberOf(guess) !== null ? guess : "";
  }

  truth(): Truth {
    return { ...WORDLESS, values: [this.#asked.value] };
  }

  reveal(isRevealed: boolean): void {
    this.#isRevealed = isRevealed;
    this.#field.readOnly = isRevealed;
    this.#line.hidden = !isRevealed;
    this.#line.replaceChildren(...(isRevealed ? [this.#picture()] : []));
  }

  tally(tally: Tally | null): void {
    this.#class = tally?.kind === "number" && tally.values.length > 0 ? tally : null;
    this.reveal(this.#isRevealed);
  }

  fit(): void {}

  said(): string {
    const asked = this.#asked;
    const labels = this.#labels;
    const own = numberOf(this.#field.value);
    const truth = textOf(asked.value);
    if (!this.#isRevealed) return own === null && this.#field.value.trim() ? labels.no_number : "";
    const both =
      own === null
        ? fillText(labels.number_true, { true: truth })
        : fillText(labels.number_both, { yours: textOf(own), true: truth });
    return this.#class ? inARow(both, this.#classSaid(this.#class)) : both;
  }

  #classSaid({ answers, values }: TallyOf<"number">): string {
    const labels = this.#labels;
    const [low, high] = this.#ends();
    const far = values.filter((value) => value < low || value > high).length;
    const said = fillText(labels.class_median, { count: answers, median: textOf(medianOf(values)) });
    return far ? inARow(said, fillText(labels.beyond, { count: far })) : said;
  }

  // The ends of the line: they include 0 and all numbers, except a class's far ones, which would leave the line empty.
  #ends(): readonly [number, number] {
    const own = numberOf(this.#field.value);
    const values = this.#class?.values ?? [];
    const ofClass = [values[Math.floor(FAR * values.length)], values[Math.ceil((1 - FAR) * values.length) - 1]];
    const most = 20 * Math.abs(this.#asked.value) || 1;
    const near = ofClass.filter((value) => value !== undefined && Math.abs(value) <= most);
    const numbers = [0, this.#asked.value, ...(own === null ? [] : [own]), ...near];
    return [Math.min(...numbers), Math.max(...numbers)];
  }

  #picture(): SVGElement {
    const asked = this.#asked;
    const labels = this.#labels;
    const own = numberOf(this.#field.value);
    const [low, high] = this.#ends();
    const above = this.#class ? BARS : 0;
    const xOf = (value: number) => EDGE + ((value - low) / (high - low || 1)) * (WIDTH - 2 * EDGE);
    const mark = (value: number, name: string, className: string, side: -1 | 1) => [
      svg("circle", { cx: xOf(value), cy: MIDDLE, r: 7, class: className }),
      svg("text", { x: xOf(value), y: MIDDLE + side * 22 + 5, "text-anchor": "middle" }, `${name} ${textOf(value)}`),
    ];
    return svg(
      "svg",
      { viewBox: `0 ${-above} ${WIDTH} ${HEIGHT + above}`, role: "img", "aria-label": this.said() },
      ...(this.#class ? bars(this.#class.values, low, high, xOf) : []),
      svg("line", { x1: EDGE, x2: WIDTH - EDGE, y1: MIDDLE, y2: MIDDLE, class: "axis" }),
      svg("line", { x1: xOf(0), x2: xOf(0), y1: MIDDLE - 6, y2: MIDDLE + 6, class: "axis" }),
      ...mark(asked.value, labels.model, "truth", -1),
      ...(own === null ? [] : mark(own, labels.yours, "own", 1)),
    );
  }
}

// The median of sorted values.
export function medianOf(values: readonly number[]): number {
  const half = (values.length - 1) / 2;
  return values[Math.floor(half)] / 2 + values[Math.ceil(half)] / 2; // their sum may be too large for a number
}

// How many of the values lie in each part of the line.
export function countsOf(values: readonly number[], low: number, high: number): number[] {
  const counts = Array.from({ length: BINS }, () => 0);
  for (const value of values)
    if (value >= low && value <= high)
      counts[Math.min(BINS - 1, Math.floor((BINS * (value - low)) / (high - low || 1)))] += 1;
  return counts;
}

function bars(values: readonly number[], low: number, high: number, xOf: (value: number) => number): SVGElement[] {
  const counts = countsOf(values, low, high);
  const most = Math.max(1, ...counts);
  const width = (xOf(high) - xOf(low)) / BINS;
  const bottom = MIDDLE - 36; // above the name of the model's number
  return counts.flatMap((count, n) => {
    if (!count) return [];
    const [x, height] = [xOf(low) + n * width, ((BARS - 8) * count) / most];
    const text = { x: x + width / 2, y: bottom - height - 3, "text-anchor": "middle", class: "count" };
    return [
      svg("rect", { x: x + 1, y: bottom - height, width: width - 2, height, class: "class", "data-count": count }),
      svg("text", text, String(count)),
    ];
  });
}

const textOf = (value: number): string => (Number.isInteger(value) ? axisText(value) : numberText(value));
