// What a scene says to somebody who reads it alone: what many think, the answer, and a sentence to keep.

import { element, type Labels } from "../kit/dom.ts";
import type { Scene } from "./lecture.ts";

export class Explained {
  readonly button = element("button", {
    type: "button",
    "data-testid": "scene-explain",
    "aria-controls": "explained",
    onclick: () => this.#open(this.element.hidden === true),
  });
  readonly element = element("dl", {
    id: "explained",
    className: "explained",
    hidden: true,
    "data-testid": "scene-explained",
  });

  // `isOffered`: it is this view that it explains, and who sees it is alone with it. `isDue`: the question is answered.
  show(scene: Scene, labels: Labels, isOffered: boolean, isDue: boolean): void {
    const texts = isOffered ? (scene.explained ?? []) : [];
    this.button.textContent = labels.explain;
    this.button.hidden = texts.length === 0;
    this.button.classList.toggle("due", isDue);
    this.element.replaceChildren(
      ...texts.flatMap(([name, text]) => [
        element("dt", { textContent: labels[`explained_${name}`] }),
        element("dd", { className: name, textContent: text }),
      ]),
    );
    if (this.button.hidden) this.#open(false);
  }

  close(): void {
    this.#open(false);
  }

  #open(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
  }
}
