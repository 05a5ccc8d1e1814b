// @ts-nocheck
// What the cache holds and what a step computes: shapes and multiply-adds, with it and without.

import { element, fillText } from "../kit/dom.ts";

export class CacheBox {
  constructor() {
    this.title = element("summary");
    this.lines = ["encoder", "kept", "new"].map(() => element("p"));
    this.table = element("table", { className: "bars", "data-testid": "dc-cache-table" });
    this.size = element("p");
    this.element = element(
      "details",
      { className: "cache", "data-testid": "dc-cache" },
      this.title,
      ...this.lines,
      this.table,
      this.size,
    );
  }

  setLabels(labels) {
    this.labels = labels;
    this.title.textContent = labels.cache;
  }

  update({ cache }, step) {
    const { labels } = this;
    const words = { ...cache, step: step + 1, before: step };
    ["cache_encoder", "cache_kept", "cache_new"].forEach(
      (name, n) => (this.lines[n].textContent = fillText(labels[name], words)),
    );
    const sums = [0, 1].map((column) => cache.steps.slice(0, step + 1).reduce((sum, costs) => sum + costs[column], 0));
    const heading = (text) => element("th", { scope: "col", className: "number", textContent: text });
    const number = (text) => element("td", { className: "number", textContent: text });
    const row = (name, [kept, anew]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", className: "token", textContent: fillText(labels[name], words) }),
        number(grouped(kept)),
        number(grouped(anew)),
        number(`${(anew / kept).toFixed(1)} ×`),
      );
    this.table.replaceChildren(
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col", className: "token", textContent: labels.cache_cost }),
          heading(labels.cache_with),
          heading(labels.cache_without),
          heading(labels.cache_ratio),
        ),
      ),
      element("tbody", {}, row("cache_step", cache.steps[step]), row("cache_sum", sums)),
    );
    const count = cache.steps[step][2];
    this.size.textContent = fillText(labels.cache_size, {
      count: grouped(count),
      kib: grouped(Math.round((count * 4) / 1024)),
    });
  }
}

// 1234567 as "1 234 567", with spaces that do not break.
function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
