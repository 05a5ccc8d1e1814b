// @ts-nocheck
// One row of attention, readable at any length: every key as a token with its weight below it, in reading order.

import { WEIGHTS } from "../kit/colour.ts";
import { element } from "../kit/dom.ts";

export class Strip {
  constructor(name) {
    this.title = element("h4");
    this.note = element("p", { className: "place" });
    this.list = element("div", { className: "strip", role: "list", "data-testid": `dc-strip-${name}` });
    this.element = element("div", { className: `strip-box ${name}` }, this.title, this.note, this.list);
  }

  // `weights` and `mask`: one number for each token, and whether it may be attended to.
  update(title, note, tokens, weights, mask, maskedText) {
    this.title.textContent = title;
    this.note.replaceChildren(...note);
    this.list.setAttribute("aria-label", title);
    this.list.replaceChildren(
      ...tokens.map((token, j) => {
        const value = element("span", { className: "weight" });
        if (mask[j]) {
          value.textContent = weights[j].toFixed(2);
          value.style.background = cssColour(WEIGHTS.pixelOf(weights[j]));
          value.style.color = WEIGHTS.inkOn(weights[j]);
          value.title = weights[j].toFixed(4);
        } else {
          value.title = maskedText;
          value.setAttribute("aria-label", maskedText);
        }
        return element(
          "span",
          { className: mask[j] ? "key" : "key masked", role: "listitem" },
          element(
            "span",
            { className: "key-token" },
            element("small", { textContent: j + 1 }),
            " ",
            element("bdi", { textContent: token }),
          ),
          value,
        );
      }),
    );
    const last = this.list.children[mask.lastIndexOf(1)]; // a long row scrolls in its box: to where it has got
    if (last) this.list.scrollTop = last.offsetTop + last.offsetHeight - this.list.offsetTop - this.list.clientHeight;
  }
}

// One pixel of an ImageData: alpha, blue, green, red.
function cssColour(pixel) {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}
