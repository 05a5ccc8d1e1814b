// @ts-nocheck
// What has finished, ranked; the slider of the length penalty ranks anew, from numbers that came with the search.

import { element, fillNodes } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";

export class NBest {
  // `events`: onAlpha(alpha), onSelect(node)
  constructor(events) {
    this.events = events;
    this.title = element("h3", { className: "title" });
    this.slider = element("input", { type: "range", min: 0, step: 1, "data-testid": "dc-alpha" });
    this.slider.oninput = () => events.onAlpha(this.search.rankings.alphas[Number(this.slider.value)]);
    this.name = element("span", { className: "name" });
    this.value = element("span", { className: "alpha", "data-testid": "dc-alpha-value" });
    this.stepper = element("div", { className: "stepper" }, this.name, this.slider, this.value);
    this.rule = element("p", { className: "place" });
    this.note = element("p", { "data-testid": "dc-alpha-note", "aria-live": "polite" });
    this.head = element("thead");
    this.body = element("tbody");
    this.table = element("table", { className: "bars n-best", "data-testid": "dc-n-best" }, this.head, this.body);
    this.element = element(
      "section",
      { className: "n-best-box" },
      this.title,
      this.rule,
      this.stepper,
      this.note,
      element("div", { className: "table-scroll" }, this.table),
    );
  }

  setLabels(labels) {
    this.labels = labels;
    this.title.textContent = labels.n_best;
    this.name.textContent = labels.n_best_alpha;
    this.slider.setAttribute("aria-label", labels.n_best_alpha);
    const heading = (name, className) => element("th", { scope: "col", className, textContent: labels[name] });
    this.head.replaceChildren(
      element(
        "tr",
        {},
        heading("n_rank", "number"),
        heading("n_output", "token"),
        heading("n_length", "number"),
        heading("n_sum", "number"),
        heading("n_score", "number"),
        heading("n_step", "number"),
      ),
    );
  }

  update(search, view) {
    const { labels } = this;
    const { rankings } = search;
    this.search = search;
    this.element.hidden = search.method === "sample";
    this.stepper.hidden = this.note.hidden = !rankings;
    const key = JSON.stringify([view.rerank, view.node]);
    if (this.shown === key && this.shownSearch === search && this.shownLabels === labels) return;
    Object.assign(this, { shown: key, shownSearch: search, shownLabels: labels });

    let rows = search.ended.filter(({ finished }) => finished).map((one) => [one, one.score]);
    if (rankings) {
      const alpha = view.rerank ?? search.alpha;
      const place = nearest(rankings.alphas, alpha);
      const list = rankings.lists[place];
      this.slider.max = rankings.alphas.length - 1;
      this.slider.value = place;
      this.value.textContent = String(rankings.alphas[place]);
      this.slider.setAttribute("aria-valuetext", this.value.textContent);
      this.note.replaceChildren(...this.noteOf(search, rankings.alphas[place], list));
      this.note.classList.toggle("warning", list.needsSearch);
      const byNode = new Map(search.ended.map((one) => [String(one.node), one]));
      rows = list.nodes.map(([level, rank, score]) => [byNode.get(`${level},${rank}`), score]);
    } else {
      rows.sort((a, b) => b[1] - a[1]);
      rows = rows.slice(0, search.beam);
    }
    this.rule.textContent = rankings ? labels.n_best_hint : (labels[`n_best_${search.normalization}`] ?? "");
    if (rows.length === 0) {
      this.note.hidden = false;
      this.note.textContent = labels.n_best_none;
      rows = search.ended.map((one) => [one, one.score]);
    }
    this.body.replaceChildren(
      ...rows.map(([one, score], n) => this.row(one, score, n + 1, String(one.node) === String(view.node))),
    );
  }

  noteOf(search, alpha, list) {
    const { labels } = this;
    const words = { own: String(search.alpha), alpha: String(alpha), step: list.steps };
    if (list.needsSearch) return fillNodes(labels.n_best_needs, words);
    if (alpha === search.alpha) return [labels.n_best_own];
    return fillNodes(list.steps < search.levels.length ? labels.n_best_earlier : labels.n_best_same, words);
  }

  row(one, score, rank, isShown) {
    const number = (text) => element("td", { className: "number", textContent: text });
    const button = element(
      "button",
      {
        type: "button",
        className: "output",
        title: this.labels.n_show,
        "data-testid": `dc-n-best-${rank}`,
        onclick: () => this.events.onSelect(one.node),
      },
      element("bdi", { textContent: one.text || "∅" }),
    );
    button.setAttribute("aria-pressed", String(isShown));
    return element(
      "tr",
      { className: isShown ? "taken" : "" },
      number(rank),
      element("th", { scope: "row", className: "token" }, button),
      number(one.length),
      number(numberText(one.sum)),
      number(numberText(score)),
      number(one.finished ? one.node[0] + 1 : this.labels.n_live),
    );
  }
}

function nearest(values, wanted) {
  return values.reduce((best, value, n) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? n : best), 0);
}
