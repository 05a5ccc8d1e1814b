// Where the model was unsure: a sentence, and the switch that tints improbable words and is the legend of the tint.

import { type Child, element, fillNodes, type Labels } from "../kit/dom.ts";
import { scaleElement } from "../kit/legend.ts";
import { visible } from "../kit/tokens.ts";
import type { DoubtContent, NextTokens } from "../trace/payload.ts";

// From 1 to 0; overview.css tints the words alike.
const TINT = { ticks: [1, 0], stops: [[0, "#0000"], [1, "var(--doubt)"]] } as const; // biome-ignore format: a table

// The probability of the token that each step took.
export function probabilitiesOf({ logProbs, taken }: NextTokens): number[] {
  const width = logProbs.shape[1];
  return Array.from(taken.values, (place, step) => Math.exp(logProbs.values[step * width + place]));
}

export function sentenceOfDoubt(doubts: readonly DoubtContent[], labels: Labels): Child[] {
  const signs = doubts.flatMap(({ sign, token, value }, n): Child[] => {
    const number = sign === "improbable" ? `${Math.round(100 * value)} %` : value;
    const values = { token: [element("strong", {}, element("bdi", { textContent: visible(token) }))], value: number };
    return [n ? labels.separator : "", ...fillNodes(labels[sign], values)];
  });
  return doubts.length > 0 ? fillNodes(labels.unsure, { signs }) : [];
}

export class TintSwitch {
  readonly element: HTMLButtonElement;
  readonly #name = element("span");

  constructor(onToggle: () => void) {
    this.element = element(
      "button",
      { type: "button", className: "tint", onclick: onToggle, testId: "tv-tint" },
      this.#name,
      scaleElement(TINT),
    );
  }

  setLabels(text: string, tooltip: string): void {
    this.#name.textContent = text;
    this.element.title = tooltip;
  }

  update(isOn: boolean): void {
    this.element.setAttribute("aria-pressed", String(isOn));
  }
}
