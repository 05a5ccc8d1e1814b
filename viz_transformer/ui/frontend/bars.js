// The likeliest next tokens at one step, as recorded: a table whose third column is also drawn as bars.

import { element, fillText } from "./dom.js";

export class Bars {
  constructor() {
    this.title = element("caption");
    this.head = element("thead");
    this.body = element("tbody");
    this.element = element("table", { className: "bars", "data-testid": "tv-bars" }, this.title, this.head, this.body);
  }

  setLabels(labels) {
    this.labels = labels;
    const heading = (name, className) => element("th", { scope: "col", className, textContent: labels[name] });
    this.head.replaceChildren(element("tr", {},
      heading("rank", "number"), heading("token", "token"), element("td", { className: "bar" }),
      heading("probability", "number"), heading("log_probability", "number")));
  }

  update({ tokens, ranks, logProbs, taken, rest, restCount }, step) {
    this.title.textContent = fillText(this.labels.next_tokens, { step: step + 1 });
    const rows = tokens.map((token, i) => {
      const logProb = logProbs[i] ?? -Infinity; // JSON has no infinity
      const name = [element("bdi", { textContent: token })];
      if (i === taken) name.push(element("span", { className: "mark", textContent: this.labels.taken }));
      return row(ranks[i], name, Math.exp(logProb), formatLog(logProb), i === taken ? "taken" : "");
    });
    if (restCount > 0) {
      rows.push(row("", [fillText(this.labels.rest, { count: restCount })], rest, formatLog(Math.log(rest)), "rest"));
    }
    this.body.replaceChildren(...rows);
  }
}

function row(rank, name, probability, logProbability, className) {
  const bar = element("span", { className: "fill", style: `width:${100 * probability}%` });
  return element("tr", { className },
    element("td", { className: "number rank", textContent: rank }),
    element("th", { scope: "row", className: "token" }, ...name),
    element("td", { className: "bar" }, element("span", { className: "track" }, bar)),
    element("td", { className: "number", textContent: probability.toFixed(4) }),
    element("td", { className: "number", textContent: logProbability }));
}

function formatLog(value) {
  return Number.isFinite(value) ? value.toFixed(4).replace("-", "−") : "−∞";
}
