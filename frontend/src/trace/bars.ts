// The likeliest next tokens at one step, as recorded: a table whose third column is also drawn as bars.

import { element, fillText, type Labels } from "../kit/dom.ts";
import { columnHeading, headRow } from "../kit/table.ts";
import type { NextTokens } from "./payload.ts";

export interface Line {
  readonly rank: number | null; // null: all other tokens together
  readonly token: string;
  readonly isTaken: boolean;
  readonly probability: number;
  readonly logProb: number;
}

// What the table says of one step.
export function linesOf(
  { tokens, ranks, logProbs, taken, rest, vocabulary }: NextTokens,
  step: number,
  labels: Labels,
): Line[] {
  const listed = tokens[step];
  const first = step * ranks.shape[1];
  const lines = listed.map((token, n): Line => {
    const logProb = logProbs.values[first + n];
    return {
      rank: ranks.values[first + n],
      token,
      isTaken: n === taken.values[step],
      probability: Math.exp(logProb),
      logProb,
    };
  });
  const [count, probability] = [vocabulary - listed.length, rest.values[step]];
  if (count > 0) {
    const token = fillText(labels.rest, { count });
    lines.push({ rank: null, token, isTaken: false, probability, logProb: Math.log(probability) });
  }
  return lines;
}

export class Bars {
  readonly element: HTMLTableElement;
  readonly #title = element("caption");
  readonly #head = element("thead");
  readonly #body = element("tbody");
  readonly #rows: Row[] = [];
  #labels: Labels = {};

  constructor() {
    this.element = element(
      "table",
      { className: "bars", testId: "tv-bars", "data-term": "softmax vocabulary" },
      this.#title,
      this.#head,
      this.#body,
    );
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#head.replaceChildren(
      headRow([
        columnHeading(labels.rank, "number"),
        columnHeading(labels.token, "token"),
        element("td", { className: "bar" }),
        columnHeading(labels.probability, "number"),
        columnHeading(labels.log_probability, "number"),
      ]),
    );
  }

  update(next: NextTokens, step: number): void {
    this.#title.textContent = fillText(this.#labels.next_tokens, { step: step + 1 });
    const lines = linesOf(next, step, this.#labels);
    while (this.#rows.length > lines.length) this.#rows.pop()?.element.remove();
    lines.forEach((line, n) => {
      if (!this.#rows[n]) this.#body.append((this.#rows[n] = new Row()).element);
      this.#rows[n].show(line, this.#labels.taken);
    });
  }
}

// Kept from step to step: to make rows anew takes longer than to fill them.
class Row {
  readonly element: HTMLTableRowElement;
  readonly #rank = element("td", { className: "number rank" });
  readonly #token = element("bdi");
  readonly #mark = element("span", { className: "mark" });
  readonly #fill = element("span", { className: "fill" });
  readonly #probability = element("td", { className: "number" });
  readonly #logProbability = element("td", { className: "number" });

  constructor() {
    this.element = element(
      "tr",
      {},
      this.#rank,
      element("th", { scope: "row", className: "token" }, this.#token, this.#mark),
      element("td", { className: "bar" }, element("span", { className: "track" }, this.#fill)),
      this.#probability,
      this.#logProbability,
    );
  }

  show({ rank, token, isTaken, probability, logProb }: Line, mark: string): void {
    this.element.className = isTaken ? "taken" : rank === null ? "rest" : "";
    this.#rank.textContent = rank === null ? "" : String(rank);
    this.#token.textContent = token;
    this.#mark.textContent = isTaken ? mark : "";
    this.#mark.hidden = !isTaken;
    this.#fill.style.width = `${100 * probability}%`;
    this.#probability.textContent = probability.toFixed(4);
    this.#logProbability.textContent = Number.isFinite(logProb) ? logProb.toFixed(4).replace("-", "−") : "−∞";
  }
}
