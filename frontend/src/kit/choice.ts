// @ts-nocheck
// A row of buttons, one of them pressed. The arrow keys move among them.

import { element } from "./dom.ts";

export class Choice {
  constructor(prefix, name, onChoose) {
    Object.assign(this, { prefix, name, onChoose });
    this.label = element("span", { className: "name" });
    this.buttons = element("div", { className: "segments", role: "group" });
    this.buttons.onkeydown = (event) => this.onKey(event);
    this.element = element("div", { className: "choice" }, this.label, this.buttons);
  }

  setLabels(text, tooltip) {
    this.label.textContent = text;
    this.buttons.title = tooltip;
    this.buttons.setAttribute("aria-label", text);
  }

  update(options, chosen) {
    this.chosen = chosen;
    const shown = [...this.buttons.children].map((button) => button.textContent);
    if (JSON.stringify(shown) !== JSON.stringify(options)) {
      this.buttons.replaceChildren(
        ...options.map((text, i) =>
          element("button", {
            type: "button",
            textContent: text,
            onclick: () => this.onChoose(i),
            "data-testid": `${this.prefix}-${this.name}-${i + 1}`,
          }),
        ),
      );
    }
    [...this.buttons.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === chosen)));
  }

  onKey(event) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const next = this.chosen + step;
    if (!step || !this.buttons.children[next]) return;
    event.preventDefault();
    event.stopPropagation();
    this.onChoose(next);
    this.buttons.children[next]?.focus();
  }
}

export function numbers(count) {
  return Array.from({ length: count }, (_, i) => String(i + 1));
}
