// One step of one hypothesis: the rows of attention of one head, the tokens so far, and the next tokens.

import { element, fillNodes, type Labels } from "../kit/dom.ts";
import { tokenNodes } from "../kit/table.ts";
import { Bars } from "../trace/bars.ts";
import { matrixOf, type Trace } from "../trace/payload.ts";
import { focusIfItScrolls, Strip } from "./strip.ts";

export class Moment {
  readonly element: HTMLElement;
  readonly #title = element("h3");
  readonly #soFar = element("div", { className: "so-far", role: "list", testId: "dc-so-far" });
  readonly #bars = new Bars();
  readonly #strips: Readonly<Record<string, Strip>> = {
    cross: new Strip("cross"),
    decoder_self: new Strip("decoder_self"),
  };
  #labels: Labels = {};

  constructor() {
    this.element = element(
      "div",
      { className: "moment" },
      ...Object.values(this.#strips).map((strip) => strip.element),
      element("div", {}, this.#title, this.#soFar),
      this.#bars.element,
    );
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#title.textContent = labels.so_far;
    this.#soFar.setAttribute("aria-label", labels.so_far);
    this.#bars.setLabels(labels);
  }

  // `row`: the step of the hypothesis that is shown, a row of its matrices.
  update(trace: Trace, row: number, layer: number, head: number): void {
    this.#bars.update(trace.next, row);
    this.#showTokens(trace, row);
    this.#showRows(trace, row, layer, head);
  }

  // The tokens that row `row` has read, and the one that it predicts, numbered like the rows.
  #showTokens({ read, predicted }: Trace, row: number): void {
    const tokens = [...read.slice(0, row + 1), predicted[row]];
    this.#soFar.replaceChildren(
      ...tokens.map((token, n) =>
        element(
          "span",
          { className: n > row ? "new" : "", role: "listitem", title: n > row ? this.#labels.so_far_new : "" },
          ...tokenNodes(token, n),
        ),
      ),
    );
    focusIfItScrolls(this.#soFar);
    this.#soFar.scrollTop = this.#soFar.scrollHeight; // a long output scrolls in its box, and the newest token is at the end
  }

  #showRows(trace: Trace, row: number, layer: number, head: number): void {
    const labels = this.#labels;
    for (const module of trace.modules) {
      const { name, predicted, keys } = module;
      const { values, mask } = matrixOf(module, layer, head);
      const [start, end] = [row * keys.length, (row + 1) * keys.length];
      const weights = values.subarray(start, end);
      const most = weights.indexOf(Math.max(...weights));
      const words = {
        predicted: predicted[row],
        share: Math.round(100 * weights[most]),
        place: most + 1,
        key: keys[most],
      };
      const allowed = mask.subarray(start, end);
      this.#strips[name].update(
        labels[`strip_${name}`],
        fillNodes(labels.strip_most, words),
        keys,
        weights,
        allowed,
        labels.strip_later,
        name === "cross" ? most : allowed.lastIndexOf(1), // a long output scrolls to the token that was read last
      );
    }
  }
}
