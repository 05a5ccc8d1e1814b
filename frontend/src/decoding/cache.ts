// What the cache holds and what a step computes: shapes and multiply-adds, with it and without.

import { element, fillText, type Labels } from "../kit/dom.ts";
import { columnHeading, headRow, rowOf } from "../kit/table.ts";
import type { Cache } from "./search.ts";

const LINES = ["cache_encoder", "cache_kept", "cache_new"];

export class CacheBox {
  readonly element: HTMLElement;
  readonly #title = element("h3", { className: "visually-hidden" });
  readonly #lines = LINES.map(() => element("p"));
  readonly #table = element("table", { className: "bars", testId: "dc-cache-table" });
  readonly #size = element("p");
  #labels: Labels = {};

  constructor() {
    this.element = element(
      "section",
      { className: "cache", testId: "dc-cache" },
      this.#title,
      ...this.#lines,
      this.#table,
      this.#size,
    );
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#title.textContent = labels.cache;
  }

  update(cache: Cache, step: number): void {
    const labels = this.#labels;
    const { layers, heads, width, source } = cache;
    const words = { layers, heads, width, source, step: step + 1, before: step };
    LINES.forEach((name, n) => {
      this.#lines[n].textContent = fillText(labels[name], words);
    });
    const upTo = (costs: Float64Array) => costs.subarray(0, step + 1).reduce((sum, one) => sum + one, 0);
    this.#table.replaceChildren(
      this.#heading(),
      element(
        "tbody",
        {},
        costs(fillText(labels.cache_step, words), cache.with.values[step], cache.without.values[step]),
        costs(fillText(labels.cache_sum, words), upTo(cache.with.values), upTo(cache.without.values)),
      ),
    );
    const count = cache.size.values[step];
    const kib = grouped(Math.round((count * 4) / 1024));
    this.#size.textContent = fillText(labels.cache_size, { count: grouped(count), kib });
  }

  #heading(): HTMLElement {
    const { cache_cost, cache_with, cache_without, cache_ratio } = this.#labels;
    const columns = [cache_with, cache_without, cache_ratio].map((text) => columnHeading(text, "number"));
    return element("thead", {}, headRow([columnHeading(cache_cost, "token"), ...columns]));
  }
}

function costs(text: string, kept: number, anew: number): HTMLTableRowElement {
  const number = (value: string) => element("td", { className: "number", textContent: value });
  return rowOf([
    element("th", { scope: "row", className: "token", textContent: text }),
    number(grouped(kept)),
    number(grouped(anew)),
    number(`${(anew / kept).toFixed(1)} ×`),
  ]);
}

// 1234567 as "1 234 567", with spaces that do not break.
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
