// Where the model was unsure: a sentence, and the switch that tints improbable words and is the legend of the tint.

import { type Child, element, fillNodes, type Labels } from "../kit/dom.ts";
import { visible } from "../kit/tokens.ts";
import type { DoubtContent, NextTokens } from "../trace/payload.ts";

// The probability of the token that each step took.
export function probabilitiesOf({ logProbs, taken }: NextTokens): number[] {
  const width = logProbs.shape[1];
  return Array.from(taken.values, (place, step) => Math.exp(logProbs.values[step * width + place]));
}

export function sentenceOfDoubt(doubts: readonly DoubtContent[], labels: Labels): Child[] {
  const signs = doubts.flatMap(({ sign, token, value }, n): Child[] => {
    const number = sign === "improbable" ? `${Math.round(100 * value)} %` : String(value);
    const values = { token: [element("strong", {}, element("bdi", { textContent: visible(token) }))], value: number };
    return [n ? labels.separator : "", ...fillNodes(labels[sign], values)];
  });
  return doubts.length > 0 ? fillNodes(labels.unsure, { signs }) : [];
}

export class TintSwitch {
  readonly element: HTMLButtonElement;
  private readonly name = element("span");

  constructor(onToggle: () => void) {
    const ticks = ["1", "0"].map((textContent) => element("span", { textContent }));
    const ramp = element("span", { className: "ramp" });
    const scale = element("span", { className: "scale" }, ramp, element("span", { className: "ticks" }, ...ticks));
    this.element = element(
      "button",
      { type: "button", className: "tint", onclick: onToggle, "data-testid": "tv-tint" },
      this.name,
      scale,
    );
  }

  setLabels(text: string, tooltip: string): void {
    this.name.textContent = text;
    this.element.title = tooltip;
  }

  update(isOn: boolean): void {
    this.element.setAttribute("aria-pressed", String(isOn));
  }
}
