// The weights of one query as bars, one for each key; a click chooses one, another click lets it go.

import type { Tensor } from "../kit/codec.ts";
import type { Labels, Panel } from "../kit/component.ts";
import { element, fillText } from "../kit/dom.ts";
import type { ViewState } from "../kit/view_state.ts";

type View = { readonly bar: number | null };
type Content = { readonly weights: Tensor<Float32Array>; readonly keys: readonly string[] };

const BUTTON = "height: 12rem; display: inline-flex; flex-direction: column; justify-content: end";

export class WeightBars implements Panel<Content> {
  readonly #root = element("div", { className: "view" });
  readonly #state: ViewState<View>;

  constructor(parent: HTMLElement, state: ViewState<View>) {
    this.#state = state;
    parent.append(this.#root);
  }

  show({ weights: { values }, keys }: Content, labels: Labels): void {
    const bars = keys.map((key, n) => {
      const title = fillText(labels.bar, { key, weight: values[n].toFixed(4) });
      const style = `width: 2rem; height: ${10 * values[n]}rem; background: var(--st-primary-color)`;
      return element(
        "button",
        { title, style: BUTTON, onclick: () => this.#choose(n) },
        element("span", { style }),
        key,
      );
    });
    this.#root.replaceChildren(...bars);
    this.#mark();
  }

  remove(): void {
    this.#root.remove();
  }

  #choose(bar: number): void {
    this.#state.change({ bar: bar === this.#state.view.bar ? null : bar });
    this.#state.commitIn();
    this.#mark();
  }

  #mark(): void {
    [...this.#root.children].forEach((one, n) => (one.ariaPressed = String(n === this.#state.view.bar)));
  }
}
