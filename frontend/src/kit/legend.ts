// A scale of colours and what a mark means, beside what they explain.

import { cssGradient, type Scale } from "./colour.ts";
import { element } from "./dom.ts";
import { tickText } from "./numbers.ts";

export function scaleElement(scale: Pick<Scale, "ticks" | "stops">): HTMLElement {
  return element(
    "span",
    { className: "scale" },
    element("span", { className: "ramp", style: `background:${cssGradient(scale)}` }),
    element(
      "span",
      { className: "ticks" },
      ...scale.ticks.map((tick) => element("span", { textContent: tickText(tick) })),
    ),
  );
}

export function legendEntry(kind: string, text: string): HTMLElement {
  return element("span", { className: "entry" }, element("span", { className: `swatch ${kind}` }), text);
}
