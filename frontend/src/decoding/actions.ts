// What one may do with the token of the step shown: force the output up to it, or ban it.

import { element, fillText, type Labels } from "../kit/dom.ts";
import type { Candidate } from "./search.ts";

export type Asked = "force" | "ban";

export class Actions {
  readonly element: HTMLElement;
  readonly #force: HTMLButtonElement;
  readonly #ban: HTMLButtonElement;
  readonly #note = element("span", { className: "place" });
  #labels: Labels = {};

  constructor(onAsk: (asked: Asked) => void) {
    const button = (name: Asked) =>
      element("button", { type: "button", testId: `dc-${name}`, onclick: () => onAsk(name) });
    this.#force = button("force");
    this.#ban = button("ban");
    this.element = element("div", { className: "actions" }, this.#force, this.#ban, this.#note);
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#force.textContent = labels.force;
    this.#note.textContent = labels.at_end;
    this.element.hidden = !labels.force;
  }

  // `end`: the end token, which can be neither forced nor banned here: an output without one is endless noise.
  update({ token }: Candidate, end: string): void {
    const isEnd = token === end;
    this.#force.hidden = this.#ban.hidden = isEnd;
    this.#note.hidden = !isEnd;
    this.#ban.textContent = fillText(this.#labels.ban, { token });
  }
}
