// What the colours and marks of the matrices mean.

import { cssGradient, WEIGHTS } from "./colour.js";
import { element } from "./dom.js";
import { tickText } from "./numbers.js";

export function scaleElement(scale) {
  return element("span", { className: "scale" },
    element("span", { className: "ramp", style: `background:${cssGradient(scale)}` }),
    element("span", { className: "ticks" }, ...scale.ticks.map((tick) => element("span", { textContent: tickText(tick) }))));
}

export function legendEntry(kind, text) {
  return element("span", { className: "entry" }, element("span", { className: `swatch ${kind}` }), text);
}

export class Legend {
  constructor() {
    this.element = element("div", { className: "legend", "data-testid": "tv-legend" });
  }

  setLabels(labels) {
    this.element.replaceChildren(
      element("span", { className: "entry" }, labels.weight, scaleElement(WEIGHTS)),
      legendEntry("masked", labels.masked),
      legendEntry("this-step", labels.this_step),
      legendEntry("later", labels.later),
    );
  }
}
