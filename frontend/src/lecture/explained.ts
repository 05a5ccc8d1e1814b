// What a scene says to somebody who reads it alone: what many think, the answer, and a sentence to keep.

import { type Child, element, type Labels } from "../kit/dom.ts";
import { addressOf, link } from "../kit/go.ts";
import { listed, SOLVED, stored } from "../kit/stored.ts";
import type { Scene } from "./lecture.ts";

type Pairs = readonly (readonly [string, string])[];

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

  #shown = "";

  // `isOffered`: it is this view that it explains, and who sees it is alone with it. `isDue`: the question is answered.
  show(scene: Scene, labels: Labels, isOffered: boolean, isDue: boolean): void {
    const texts = isOffered ? (scene.explained ?? []) : [];
    const exercises = isOffered ? (scene.exercises ?? []) : [];
    this.button.textContent = labels.explain;
    this.button.hidden = texts.length + exercises.length === 0;
    this.button.classList.toggle("due", isDue);
    const solved = listed(stored(SOLVED));
    const shown = JSON.stringify([labels.explain, texts, exercises, solved]);
    if (shown !== this.#shown) this.#draw(texts, exercises, solved, labels); // else a link in it may have the focus
    this.#shown = shown;
    if (this.button.hidden) this.#open(false);
  }

  #draw(texts: Pairs, exercises: Pairs, solved: readonly string[], labels: Labels): void {
    const row = (name: string, className: string, ...said: Child[]): Child[] => [
      element("dt", { textContent: labels[`explained_${name}`] }),
      element("dd", { className }, ...said),
    ];
    const links = exercises.map(([slug, title]) =>
      element("span", {}, link(addressOf(`exercises?exercise=${slug}`), "", title), solved.includes(slug) ? " ✓" : ""),
    );
    this.element.replaceChildren(
      ...texts.flatMap(([name, text]) => row(name, name, text)),
      ...(links.length ? row("exercises", "exercises", ...links) : []),
    );
  }

  close(): void {
    this.#open(false);
  }

  #open(isOpen: boolean): void {
    this.element.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
  }
}
