// What a scene says to somebody who reads it alone: what many think, the answer, a sentence to keep, and where to check.

import { type Child, element, type Labels } from "../kit/dom.ts";
import { addressOf, link } from "../kit/go.ts";
import { listed, SOLVED, stored } from "../kit/stored.ts";
import { fillFrom, type Lecture, type Scene } from "./lecture.ts";

const NOTHING: Partial<Scene> = {};

export class Explained {
  readonly button = element("button", {
    type: "button",
    testId: "scene-explain",
    "aria-controls": "explained",
    onclick: () => this.#open(this.element.hidden === true),
  });
  readonly element = element("dl", {
    id: "explained",
    className: "explained",
    hidden: true,
    testId: "scene-explained",
  });

  #shown = "";

  // `isOffered`: it is this view that it explains, and who sees it is alone with it. `isDue`: the question is answered.
  show(lecture: Lecture, scene: Scene, labels: Labels, isOffered: boolean, isDue: boolean): void {
    const { explained = [], proof, exercises = [] } = isOffered ? scene : NOTHING;
    const solved = listed(stored(SOLVED));
    const row = (name: string, ...said: Child[]): Child[] =>
      said.length
        ? [element("dt", { textContent: labels[`explained_${name}`] }), element("dd", { className: name }, ...said)]
        : [];
    const text = (text: string): HTMLElement => {
      const node = element("span");
      fillFrom(lecture, node, text);
      return node;
    };
    this.button.textContent = labels.explain;
    this.button.hidden = explained.length + exercises.length === 0;
    this.button.classList.toggle("due", isDue);
    const shown = JSON.stringify([labels.explain, explained, proof, exercises, solved]);
    if (shown !== this.#shown)
      // else a link in it may have the focus
      this.element.replaceChildren(
        ...explained.flatMap(([name, said]) => row(name, text(said))),
        ...row("proof", ...(proof ? [link(addressOf(proof[1]), "", proof[0])] : [])),
        ...row(
          "exercises",
          ...exercises.map(([slug, title]) =>
            element(
              "span",
              {},
              link(addressOf(`exercises?exercise=${slug}`), "", title),
              solved.includes(slug) ? " ✓" : "",
            ),
          ),
        ),
      );
    this.#shown = shown;
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
