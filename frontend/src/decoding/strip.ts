// One row of attention, readable at any length: every key as a token with its weight below it, in reading order.

import { cssOf, WEIGHTS } from "../kit/colour.ts";
import { type Child, element } from "../kit/dom.ts";
import { tokenNodes } from "../kit/table.ts";
import { termsOf } from "../matrix/words.ts";

const LONG = 24; // tokens; a longer row scrolls in a box that fits below the tree

export class Strip {
  readonly element: HTMLElement;
  readonly #title = element("h3");
  readonly #note = element("p", { className: "place" });
  readonly #list: HTMLElement;

  constructor(name: string) {
    this.#list = element("div", { className: "strip", role: "list", testId: `dc-strip-${name}` });
    this.element = element(
      "div",
      { className: `strip-box ${name}`, "data-term": termsOf(name) },
      this.#title,
      this.#note,
      this.#list,
    );
  }

  // `weights` and `mask`: one number for each token, and whether it may be attended to; `seen`: the token that a long row
  // scrolls to in its box.
  update(
    title: string,
    note: readonly Child[],
    tokens: readonly string[],
    weights: Float32Array,
    mask: Uint8Array,
    maskedText: string,
    seen: number,
  ): void {
    this.#title.textContent = title;
    this.#note.replaceChildren(...note);
    this.#list.setAttribute("aria-label", title);
    this.#list.classList.toggle("long", tokens.length > LONG);
    this.#list.replaceChildren(
      ...tokens.map((token, j) => {
        const value = element("span", { className: "weight" });
        if (mask[j]) {
          value.textContent = weights[j].toFixed(2);
          value.style.background = cssOf(WEIGHTS.pixelOf(weights[j]));
          value.style.color = WEIGHTS.inkOn(weights[j]);
          value.title = weights[j].toFixed(4);
        } else {
          value.title = maskedText;
          value.setAttribute("role", "img"); // the hatching, which has a name
          value.setAttribute("aria-label", maskedText);
        }
        return element(
          "span",
          { className: mask[j] ? "key" : "key masked", role: "listitem" },
          element("span", { className: "key-token" }, ...tokenNodes(token, j)),
          value,
        );
      }),
    );
    const box = this.#list.children[seen] as HTMLElement | undefined;
    if (box) this.#list.scrollTop = box.offsetTop + box.offsetHeight - this.#list.offsetTop - this.#list.clientHeight;
    focusIfItScrolls(this.#list);
  }
}

// Gives a box that scrolls a tab stop, so that the keyboard can scroll it.
export function focusIfItScrolls(box: HTMLElement): void {
  box.tabIndex = box.scrollHeight > box.clientHeight ? 0 : -1;
}
