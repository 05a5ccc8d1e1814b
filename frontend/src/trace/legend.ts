// What the colours and marks of a trace's matrices mean.

import { WEIGHTS } from "../kit/colour.ts";
import { element, type Labels } from "../kit/dom.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";

export class Legend {
  readonly element = element("div", { className: "legend", testId: "tv-legend" });

  setLabels(labels: Labels): void {
    this.element.replaceChildren(
      element("span", { className: "entry" }, labels.weight, scaleElement(WEIGHTS)),
      legendEntry("masked", labels.masked),
      legendEntry("this-step", labels.this_step),
      legendEntry("later", labels.later),
    );
  }
}
