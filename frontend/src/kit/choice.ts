// A row of buttons, one of them pressed. The arrow keys move among them, and the Tab key stops at one of them.

import { element } from "./dom.ts";

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export class Choice {
  readonly element: HTMLElement;
  readonly #prefix: string; // of test ids
  readonly #name: string;
  readonly #onChoose: (place: number) => void;
  readonly #label: HTMLElement;
  readonly #buttons: HTMLElement;
  #chosen = 0;

  constructor(prefix: string, name: string, onChoose: (place: number) => void) {
    this.#prefix = prefix;
    this.#name = name;
    this.#onChoose = onChoose;
    this.#label = element("span", { className: "name" });
    this.#buttons = element("div", { className: "segments", role: "group" });
    this.#buttons.onkeydown = (event) => this.#onKey(event);
    // Its name is also the term that it shows: a row of heads lights up with “head” in the text; see term_highlight.ts.
    this.element = element("div", { className: "choice", "data-term": name }, this.#label, this.#buttons);
  }

  setLabels(text: string, tooltip: string): void {
    this.#label.textContent = text;
    this.#buttons.title = tooltip;
    this.#buttons.setAttribute("aria-label", text);
  }

  update(options: readonly string[], chosen: number): void {
    this.#chosen = chosen;
    const shown = [...this.#buttons.children].map((button) => button.textContent);
    if (JSON.stringify(shown) !== JSON.stringify(options)) {
      this.#buttons.replaceChildren(
        ...options.map((text, i) =>
          element("button", {
            type: "button",
            textContent: text,
            onclick: () => this.#onChoose(i),
            testId: `${this.#prefix}-${this.#name}-${i + 1}`,
          }),
        ),
      );
    }
    const buttons = [...this.#buttons.children] as HTMLElement[];
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === chosen));
      button.tabIndex = i === chosen || (i === 0 && !buttons[chosen]) ? 0 : -1;
    });
  }

  // Tints each option by its share, 0 … 1.
  tint(shares: readonly number[]): void {
    const buttons = [...this.#buttons.children] as HTMLElement[];
    buttons.forEach((button, i) => button.style.setProperty("--share", String(shares[i])));
  }

  #onKey(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (!step) return;
    const next = this.#chosen + step;
    if (!this.#buttons.children[next]) return;
    event.preventDefault();
    event.stopPropagation();
    this.#onChoose(next);
    (this.#buttons.children[next] as HTMLElement | undefined)?.focus();
  }
}

export function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => String(i + 1));
}
