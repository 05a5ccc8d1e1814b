// The finished hypotheses, ranked. The slider of the length penalty ranks them anew, from numbers that came with the
// search, without asking Python.

import { type Child, element, fillNodes, type Labels } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";
import { columnHeading, headRow } from "../kit/table.ts";
import { speak, TEXT } from "../kit/voice.ts";
import { type Ended, isSame, type Place, type Ranking, type Search } from "./search.ts";

const COLUMNS = {
  n_rank: "number",
  n_output: "token",
  n_length: "number",
  n_sum: "number",
  n_score: "number",
  n_step: "number",
};

export interface NBestEvents {
  onAlpha(alpha: number): void;
  onSelect(node: Place): void;
}

// A hypothesis, and the score that ranks it.
export interface Ranked {
  readonly ended: Ended;
  readonly score: number;
}

export class NBest {
  readonly element: HTMLElement;
  readonly #events: NBestEvents;
  readonly #title = element("h3", { className: "visually-hidden" });
  readonly #slider = element("input", { type: "range", min: 0, step: 1, testId: "dc-alpha" });
  readonly #name = element("span", { className: "name" });
  readonly #value = element("span", { className: "alpha", testId: "dc-alpha-value" });
  readonly #stepper: HTMLElement;
  readonly #rule = element("p", { className: "place" });
  readonly #note = element("p", { testId: "dc-alpha-note" });
  readonly #head = element("thead");
  readonly #body = element("tbody");
  #labels: Labels = {};
  #shown: readonly [Search, Labels, number, Place] | null = null;

  constructor(events: NBestEvents) {
    this.#events = events;
    this.#stepper = element("div", { className: "stepper" }, this.#name, this.#slider, this.#value);
    const table = element("table", { className: "bars n-best", testId: "dc-n-best" }, this.#head, this.#body);
    this.element = element(
      "section",
      { className: "n-best-box" },
      this.#title,
      this.#rule,
      this.#stepper,
      this.#note,
      element("div", { className: "table-scroll" }, table),
    );
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#title.textContent = labels.n_best;
    this.#name.textContent = labels.n_best_alpha;
    this.#slider.setAttribute("aria-label", labels.n_best_alpha);
    const headings = Object.entries(COLUMNS).map(([name, className]) => columnHeading(labels[name], className));
    this.#head.replaceChildren(headRow(headings));
  }

  // `rerank`: the α that ranks; `node`: the hypothesis that is shown.
  update(search: Search, rerank: number, node: Place): void {
    const labels = this.#labels;
    const shown = this.#shown;
    if (shown?.[0] === search && shown[1] === labels && shown[2] === rerank && isSame(shown[3], node)) return;
    this.#shown = [search, labels, rerank, node];
    const { rankings } = search;
    const { normalization } = search.content;
    this.#stepper.hidden = this.#note.hidden = !rankings;
    if (rankings) this.#showSlider(search, rankings, rerank);
    this.#rule.textContent = labels[rankings ? `n_best_by_${normalization}` : `n_best_${normalization}`] ?? "";
    let rows = ranked(search, rerank);
    if (rows.length === 0) {
      this.#note.hidden = false;
      this.#note.textContent = labels.n_best_none;
      rows = search.content.ended.map((ended) => ({ ended, score: search.at(ended.node).score }));
    }
    this.#body.replaceChildren(...rows.map((one, n) => this.#row(search, one, n + 1, isSame(one.ended.node, node))));
  }

  #showSlider(search: Search, rankings: readonly Ranking[], rerank: number): void {
    const place = nearest(rankings, rerank);
    const ranking = rankings[place];
    const alpha = String(ranking.alpha);
    this.#slider.max = String(rankings.length - 1);
    this.#slider.value = String(place);
    this.#slider.oninput = () => this.#events.onAlpha(rankings[this.#slider.valueAsNumber].alpha);
    this.#value.textContent = alpha;
    this.#slider.setAttribute("aria-valuetext", alpha);
    this.#note.replaceChildren(...this.#noteOf(search, ranking));
    speak(this.#note, TEXT);
    this.#note.classList.toggle("warning", ranking.needsSearch);
  }

  #noteOf(search: Search, { alpha, steps, needsSearch }: Ranking): Child[] {
    const labels = this.#labels;
    const own = search.content.alpha;
    const words = { own: String(own), alpha: String(alpha), step: steps };
    if (needsSearch) return fillNodes(labels.n_best_needs, words);
    if (alpha === own) return [labels.n_best_own];
    return fillNodes(steps < search.steps ? labels.n_best_earlier : labels.n_best_same, words);
  }

  #row(search: Search, { ended, score }: Ranked, rank: number, isShown: boolean): HTMLTableRowElement {
    const labels = this.#labels;
    const { sum, status, level } = search.at(ended.node);
    const number = (text: string | number) => element("td", { className: "number", textContent: text });
    const button = element(
      "button",
      {
        type: "button",
        className: "output",
        title: labels.n_show,
        testId: `dc-n-best-${rank}`,
        onclick: () => this.#events.onSelect(ended.node),
      },
      element("bdi", { textContent: ended.text || "∅" }),
    );
    button.setAttribute("aria-pressed", String(isShown));
    return element(
      "tr",
      { className: isShown ? "taken" : "" },
      number(rank),
      element("th", { scope: "row", className: "token" }, button),
      number(level + 1),
      number(numberText(sum)),
      number(numberText(score)),
      number(status === "finished" ? level + 1 : labels.n_live),
    );
  }
}

// The finished hypotheses, best first: under the α nearest to `rerank`, or, where α plays no part, by the search's own
// scores.
export function ranked(search: Search, rerank: number): Ranked[] {
  const { ended, beam } = search.content;
  const finished = ended.filter(({ node }) => search.at(node).status === "finished");
  if (!search.rankings) {
    const rows = finished.map((one) => ({ ended: one, score: search.at(one.node).score }));
    return rows.sort((a, b) => b.score - a.score).slice(0, beam);
  }
  const { nodes, scores } = search.rankings[nearest(search.rankings, rerank)];
  return nodes.flatMap((node, n) =>
    finished.filter((one) => isSame(one.node, node)).map((one) => ({ ended: one, score: scores[n] })),
  );
}

// The index of the ranking whose α is nearest.
function nearest(rankings: readonly Ranking[], wanted: number): number {
  const distances = rankings.map(({ alpha }) => Math.abs(alpha - wanted));
  return distances.indexOf(Math.min(...distances));
}
