// A picture with the controls that move it beside it, where there is room for both; the rarer ones behind "more".

import { element } from "../kit/dom.ts";
import { roomFor } from "../kit/window.ts";

const GAP = 24; // CSS pixels between them
const NARROW = 704; // up to this width the controls are below the picture, as the style sheet has it
const ABOVE = 264; // of a window: what is above a picture, and the legend and the line below it
const ABOVE_NARROW = 330;
const LEAST = 320; // that a picture is high
const OWN = 48; // of its legend

// What a page puts around a view.
export interface Surroundings {
  readonly choices: readonly HTMLElement[]; // above the view's own controls
  readonly more: readonly HTMLElement[]; // behind "more"
  readonly notes: readonly HTMLElement[]; // below the picture
}

export const ALONE: Surroundings = { choices: [], more: [], notes: [] };

export class Stage {
  readonly element: HTMLElement;
  readonly #more: HTMLElement;
  readonly #summary = element("summary");
  readonly #side: number;
  readonly #beside: HTMLElement;

  // `side`: how wide the controls are.
  constructor(
    side: number,
    picture: readonly HTMLElement[],
    controls: readonly HTMLElement[],
    more: readonly HTMLElement[],
    below: readonly HTMLElement[] = [],
  ) {
    this.#side = side;
    this.#more = element("details", { className: "more" }, this.#summary, ...more);
    this.#more.hidden = more.length === 0;
    this.#beside = element("div", { className: "side" }, ...controls, this.#more, ...below);
    const shown = element("div", { className: "picture" }, ...picture);
    this.element = element("div", { className: "stage", style: `--side: ${side}px` }, shown, this.#beside);
  }

  setLabels(more: string): void {
    this.#summary.textContent = more;
  }

  // The widths that picture and controls have. A page may leave out the controls.
  widths(width: number): { picture: number; side: number } {
    const isAlone = isNarrow(width) || getComputedStyle(this.#beside).display === "none";
    return isAlone ? { picture: width, side: width } : { picture: width - this.#side - GAP, side: this.#side };
  }
}

export function isNarrow(width: number): boolean {
  return width <= NARROW;
}

// How high a picture may be, so that the whole of it is on the screen with what belongs to it.
export function roomBelow(width: number): number {
  return roomFor(isNarrow(width) ? ABOVE_NARROW : ABOVE, LEAST, OWN);
}
