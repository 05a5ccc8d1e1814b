// @ts-nocheck
// The likeliest next tokens at one step, as recorded: a table whose third column is also drawn as bars.

import { element, fillText } from "../kit/dom.ts";

export class Bars {
  constructor() {
    this.title = element("caption");
    this.head = element("thead");
    this.body = element("tbody");
    this.rows = [];
    this.element = element("table", { className: "bars", "data-testid": "tv-bars" }, this.title, this.head, this.body);
  }

  setLabels(labels) {
    this.labels = labels;
    const heading = (name, className) => element("th", { scope: "col", className, textContent: labels[name] });
    this.head.replaceChildren(
      element(
        "tr",
        {},
        heading("rank", "number"),
        heading("token", "token"),
        element("td", { className: "bar" }),
        heading("probability", "number"),
        heading("log_probability", "number"),
      ),
    );
  }

  update({ tokens, ranks, logProbs, taken, rest, restCount }, step) {
    this.title.textContent = fillText(this.labels.next_tokens, { step: step + 1 });
    const lines = tokens.map((token, i) => {
      const logProb = logProbs[i] ?? -Infinity; // JSON has no infinity
      return {
        rank: ranks[i],
        token,
        mark: i === taken ? this.labels.taken : "",
        probability: Math.exp(logProb),
        logProb,
      };
    });
    if (restCount > 0) {
      const token = fillText(this.labels.rest, { count: restCount });
      lines.push({ rank: "", token, mark: "", probability: rest, logProb: Math.log(rest), isRest: true });
    }
    while (this.rows.length > lines.length) this.rows.pop().element.remove();
    lines.forEach((line, n) => {
      if (!this.rows[n]) this.body.append((this.rows[n] = new Row()).element);
      this.rows[n].show(line);
    });
  }
}

// Kept from step to step: to make rows anew takes longer than to fill them.
class Row {
  constructor() {
    this.rank = element("td", { className: "number rank" });
    this.token = element("bdi");
    this.mark = element("span", { className: "mark" });
    this.fill = element("span", { className: "fill" });
    this.probability = element("td", { className: "number" });
    this.logProbability = element("td", { className: "number" });
    this.element = element(
      "tr",
      {},
      this.rank,
      element("th", { scope: "row", className: "token" }, this.token, this.mark),
      element("td", { className: "bar" }, element("span", { className: "track" }, this.fill)),
      this.probability,
      this.logProbability,
    );
  }

  show({ rank, token, mark, probability, logProb, isRest }) {
    this.element.className = mark ? "taken" : isRest ? "rest" : "";
    this.rank.textContent = rank;
    this.token.textContent = token;
    this.mark.textContent = mark;
    this.mark.hidden = !mark;
    this.fill.style.width = `${100 * probability}%`;
    this.probability.textContent = probability.toFixed(4);
    this.logProbability.textContent = Number.isFinite(logProb) ? logProb.toFixed(4).replace("-", "−") : "−∞";
  }
}
