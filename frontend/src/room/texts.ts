// The texts that a class has answered with, for the lecturer alone, until they are shown to everybody.

import type { TallyOf } from "../kit/classroom.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";

export class Texts {
  readonly element = element("section", { className: "texts", testId: "room-texts" });
  readonly #heading = element("h3");
  readonly #list = element("ul");
  readonly #others = element("p");
  readonly #showing = element("button", { type: "button", testId: "room-show-texts" });
  readonly #remove: (text: string) => void;

  constructor(actions: { show(): void; remove(text: string): void }) {
    this.#remove = actions.remove;
    this.#showing.onclick = () => actions.show();
    this.element.append(this.#heading, this.#list, this.#others, this.#showing);
  }

  show(tally: TallyOf<"token"> | null, labels: Labels): void {
    this.element.hidden = tally === null;
    if (!tally) return;
    this.#heading.textContent = fillText(labels.unread, { count: tally.answers });
    this.#list.replaceChildren(...tally.tokens.map(([text, count]) => this.#row(text, count, labels)));
    this.#others.textContent = fillText(labels.other_texts, { count: tally.others });
    this.#others.hidden = tally.others === 0;
    this.#showing.textContent = labels.show_texts;
  }

  #row(text: string, count: number, labels: Labels): HTMLElement {
    const remove = element("button", { type: "button", className: "remove", textContent: labels.remove });
    remove.ariaLabel = fillText(labels.remove_text, { text });
    remove.title = labels.hint_remove;
    remove.onclick = () => this.#remove(text);
    const shown = element("bdi", { textContent: text });
    return element("li", {}, shown, element("span", { textContent: `× ${count}` }), remove);
  }
}
