// What the colours and marks of the matrices mean.

import { cssGradient } from "./colour.js";
import { element } from "./dom.js";

export class Legend {
  constructor() {
    this.element = element("div", { className: "legend", "data-testid": "tv-legend" });
  }

  setLabels(labels) {
    const ticks = ["0", "0.5", "1"].map((tick) => element("span", { textContent: tick }));
    const scale = element("span", { className: "scale" },
      element("span", { className: "ramp", style: `background:${cssGradient()}` }),
      element("span", { className: "ticks" }, ...ticks));
    const entry = (kind, text) => element("span", { className: "entry" }, element("span", { className: `swatch ${kind}` }), text);
    this.element.replaceChildren(
      element("span", { className: "entry" }, labels.weight, scale),
      entry("masked", labels.masked),
      entry("this-step", labels.this_step),
      entry("later", labels.later),
    );
  }
}
