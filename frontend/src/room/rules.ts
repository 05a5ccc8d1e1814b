// What a lecturer asks of a room: who may come in, what counts, and what is shown before it has been read.

import { element, type Labels } from "../kit/dom.ts";
import { RULES, type Rule, type Rules } from "./state.ts";

export class RulesForm {
  readonly element = element("details", { testId: "room-rules" });
  readonly #heading = element("summary");
  readonly #boxes: Readonly<Record<Rule, HTMLInputElement>>;
  readonly #names: Readonly<Record<Rule, HTMLElement>>;

  constructor(set: (rule: Rule, isSet: boolean) => void) {
    const box = (rule: Rule) => {
      const input = element("input", { type: "checkbox", testId: `room-rule-${rule}` });
      input.onchange = () => set(rule, input.checked);
      return [rule, input] as const;
    };
    this.#boxes = Object.fromEntries(RULES.map(box)) as Record<Rule, HTMLInputElement>;
    this.#names = Object.fromEntries(RULES.map((rule) => [rule, element("span")])) as Record<Rule, HTMLElement>;
    const rows = RULES.map((rule) => element("label", { className: "rule" }, this.#boxes[rule], this.#names[rule]));
    this.element.append(this.#heading, ...rows);
  }

  show(rules: Rules | null, labels: Labels): void {
    this.element.hidden = rules === null;
    this.#heading.textContent = labels.rules;
    for (const rule of RULES) {
      this.#boxes[rule].checked = rules?.[rule] ?? false;
      this.#names[rule].textContent = labels[`rule_${rule}`];
    }
  }
}
