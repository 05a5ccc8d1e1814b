// A field for the next token; once it is revealed, what the model found likeliest, and where the typed one stands.

import type { Tally, TallyOf, Truth } from "../kit/classroom.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";
import { rankOf, scoredTokens } from "../kit/score.ts";
import { columnHeading, fillTable, rowOf } from "../kit/table.ts";
import { visible } from "../kit/tokens.ts";
import type { AskedToken, Changed, Sheet } from "./predict_sheet.ts";

const SHOWN = 8;
const LONGEST = 60; // characters

export class TokenSheet implements Sheet {
  readonly element: HTMLElement;
  readonly #asked: AskedToken;
  readonly #labels: Labels;
  readonly #field: HTMLInputElement;
  readonly #table = element("table", { className: "bars", testId: "predict-tokens", hidden: true });
  readonly #class = element("table", { className: "bars class", testId: "predict-class", hidden: true });

  constructor(asked: AskedToken, labels: Labels, changed: Changed) {
    this.#asked = asked;
    this.#labels = labels;
    this.#field = element("input", {
      type: "text",
      className: "large-field",
      maxLength: LONGEST,
      autocomplete: "off",
      spellcheck: false,
      "aria-label": asked.kind === "text" ? labels.words_field : labels.token_field,
      testId: "predict-token",
    });
    this.#field.oninput = changed;
    const read = asked.read
      .slice(1)
      .map((token) => element("bdi", { className: "token", textContent: visible(token) }));
    const line = element("p", { className: "line" }, ...read.flatMap((token) => [token, " "]), this.#field);
    const tables = element("div", { className: "tables" }, this.#table, this.#class);
    this.element = element("div", { className: "sheet" }, line, tables);
  }

  guess(): string | null {
    return this.#field.value.trim() || null;
  }

  restore(guess: unknown): void {
    this.#field.value = typeof guess === "string" ? guess.slice(0, LONGEST) : "";
  }

  truth(): Truth | null {
    const { tokens, probabilities } = this.#asked;
    return tokens.length ? scoredTokens(tokens, probabilities.values) : null;
  }

  reveal(isRevealed: boolean): void {
    const asked = this.#asked;
    const labels = this.#labels;
    const table = this.#table;
    this.#field.readOnly = isRevealed;
    table.hidden = !isRevealed || !asked.tokens.length;
    if (table.hidden) {
      table.replaceChildren();
      return;
    }
    const own = this.guess() === null ? -1 : this.#rank();
    const ranks = Array.from({ length: Math.min(SHOWN, asked.tokens.length) }, (_, rank) => rank);
    if (own >= ranks.length) ranks.push(own);
    const heads = [labels.rank, labels.token, "", labels.probability];
    fillTable(
      table,
      "",
      heads.map((head, n) => columnHeading(head, n === 0 || n === 3 ? "number" : "")),
      ranks.map((rank) => this.#rowOf(rank, rank === own)),
    );
  }

  tally(tally: Tally | null): void {
    this.#class.hidden = tally?.kind !== "token";
    if (tally?.kind !== "token") this.#class.replaceChildren();
    else this.#showClass(tally);
  }

  fit(): void {}

  // What the class typed, the most frequent first.
  #showClass({ answers, tokens, others }: TallyOf<"token">): void {
    const labels = this.#labels;
    const shown = tokens.slice(0, SHOWN);
    const left = others + tokens.slice(SHOWN).reduce((sum, [, count]) => sum + count, 0);
    const most = Math.max(1, left, ...shown.map(([, count]) => count));
    const rows = shown.map(([token, count]) => {
      const isTruth = rankOf(this.#asked.tokens, token) === 0;
      return barRow(visible(token), isTruth ? [labels.model] : [], count / most, String(count), isTruth);
    });
    if (left) rows.push(barRow(labels.others, [], left / most, String(left), false));
    const heads = [fillText(labels.class, { count: answers }), "", labels.count];
    fillTable(
      this.#class,
      "",
      heads.map((head, n) => columnHeading(head, n === 2 ? "number" : "")),
      rows,
    );
  }

  said(): string {
    const asked = this.#asked;
    const labels = this.#labels;
    const table = this.#table;
    const token = this.guess();
    if (table.hidden || token === null) return "";
    const rank = this.#rank();
    if (rank < 0) return fillText(labels.no_token, { token });
    const probability = numberText(asked.probabilities.values[rank]);
    return fillText(labels.token_rank, { token, rank: rank + 1, count: asked.tokens.length, probability });
  }

  #rank(): number {
    return rankOf(this.#asked.tokens, this.#field.value);
  }

  #rowOf(rank: number, isOwn: boolean): HTMLTableRowElement {
    const asked = this.#asked;
    const labels = this.#labels;
    const probability = asked.probabilities.values[rank];
    const share = probability / asked.probabilities.values[0];
    const row = barRow(visible(asked.tokens[rank]), isOwn ? [labels.yours] : [], share, numberText(probability), isOwn);
    row.prepend(element("th", { scope: "row", className: "number rank", textContent: rank + 1 }));
    return row;
  }
}

// `share`: of the longest bar.
function barRow(
  token: string,
  marks: readonly string[],
  share: number,
  number: string,
  isTaken: boolean,
): HTMLTableRowElement {
  const fill = element("span", { className: "fill", style: `width: ${(100 * share).toFixed(2)}%` });
  const mark = marks.map((textContent) => element("span", { className: "mark", textContent }));
  return rowOf(
    [
      element("td", { className: "token" }, element("bdi", { textContent: token }), ...mark),
      element("td", { className: "bar" }, element("span", { className: "track" }, fill)),
      element("td", { className: "number", textContent: number }),
    ],
    isTaken ? "taken" : "",
  );
}
