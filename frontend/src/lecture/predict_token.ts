// A field for the next token; once it is revealed, what the model found likeliest, and where the typed one stands.

import { element, fillText, type Labels } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";
import { columnHeading, fillTable, rowOf } from "../kit/table.ts";
import { visible } from "../kit/tokens.ts";
import { rankOf, scoreToken } from "./predict_score.ts";
import type { AskedToken, Changed, Sheet } from "./predict_sheet.ts";

const SHOWN = 8;
const LONGEST = 60; // characters

export class TokenSheet implements Sheet {
  readonly element: HTMLElement;
  private readonly asked: AskedToken;
  private readonly labels: Labels;
  private readonly field: HTMLInputElement;
  private readonly table = element("table", { className: "bars", "data-testid": "predict-tokens", hidden: true });

  constructor(asked: AskedToken, labels: Labels, changed: Changed) {
    this.asked = asked;
    this.labels = labels;
    this.field = element("input", {
      type: "text",
      className: "large-field",
      maxLength: LONGEST,
      autocomplete: "off",
      spellcheck: false,
      "aria-label": labels.token_field,
      "data-testid": "predict-token",
    });
    this.field.oninput = changed;
    const read = asked.read
      .slice(1)
      .map((token) => element("bdi", { className: "token", textContent: visible(token) }));
    const line = element("p", { className: "line" }, ...read.flatMap((token) => [token, " "]), this.field);
    this.element = element("div", { className: "sheet" }, line, this.table);
  }

  guess(): string | null {
    return this.field.value.trim() || null;
  }

  restore(guess: unknown): void {
    this.field.value = typeof guess === "string" ? guess.slice(0, LONGEST) : "";
  }

  score(): number {
    return scoreToken(this.asked.probabilities.values, this.rank());
  }

  reveal(isRevealed: boolean): void {
    const { asked, labels, table } = this;
    this.field.readOnly = isRevealed;
    table.hidden = !isRevealed;
    if (!isRevealed) {
      table.replaceChildren();
      return;
    }
    const own = this.guess() === null ? -1 : this.rank();
    const ranks = Array.from({ length: Math.min(SHOWN, asked.tokens.length) }, (_, rank) => rank);
    if (own >= ranks.length) ranks.push(own);
    const heads = [labels.rank, labels.token, "", labels.probability];
    fillTable(
      table,
      "",
      heads.map((head, n) => columnHeading(head, n === 0 || n === 3 ? "number" : "")),
      ranks.map((rank) => this.rowOf(rank, rank === own)),
    );
  }

  fit(): void {}

  said(): string {
    const { asked, labels, table } = this;
    const token = this.guess();
    if (table.hidden || token === null) return "";
    const rank = this.rank();
    if (rank < 0) return fillText(labels.no_token, { token });
    const probability = numberText(asked.probabilities.values[rank]);
    return fillText(labels.token_rank, { token, rank: rank + 1, count: asked.tokens.length, probability });
  }

  private rank(): number {
    return rankOf(this.asked.tokens, this.field.value);
  }

  private rowOf(rank: number, isOwn: boolean): HTMLTableRowElement {
    const { asked, labels } = this;
    const probability = asked.probabilities.values[rank];
    const share = probability / asked.probabilities.values[0];
    const fill = element("span", { className: "fill", style: `width: ${(100 * share).toFixed(2)}%` });
    const name = element("bdi", { textContent: visible(asked.tokens[rank]) });
    const mark = isOwn ? [element("span", { className: "mark", textContent: labels.yours })] : [];
    return rowOf(
      [
        element("th", { scope: "row", className: "number rank", textContent: rank + 1 }),
        element("td", { className: "token" }, name, ...mark),
        element("td", { className: "bar" }, element("span", { className: "track" }, fill)),
        element("td", { className: "number", textContent: numberText(probability) }),
      ],
      isOwn ? "taken" : "",
    );
  }
}
