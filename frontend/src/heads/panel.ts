// @ts-nocheck
// The components of heads_view.py: which module, layer and head, and a view on them.

import { Choice, numbers } from "../kit/choice.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element, whenStyled } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { Settled } from "../kit/settled.ts";
import { moduleOf } from "../maps/payload.ts";

// `View`: new View(change) with element, setLabels(labels), update(content, view, look, width) and onDigit(n), which is
// called with the number of a head, from 0. `choiceNames`: which of module, layer and head are chosen above it.
export function headsPanel(View, choiceNames) {
  return class extends HeadsPanel {
    constructor(parent, lastViews) {
      super(parent, lastViews, View, choiceNames);
    }
  };
}

class HeadsPanel {
  constructor(parent, lastViews, View, choiceNames) {
    this.settled = new Settled(lastViews);
    this.choices = Object.fromEntries(
      choiceNames.map((name) => [name, new Choice("hv", name, (chosen) => this.choose(name, chosen))]),
    );
    this.choiceBar = element(
      "div",
      { className: "choices", hidden: choiceNames.length === 0 },
      ...Object.values(this.choices).map((choice) => choice.element),
    );
    this.shown = new View((change) => this.change(change));
    this.notes = element("p", { className: "plot-note", "data-testid": "hv-notes", role: "note" });
    this.element = element(
      "div",
      { className: "view heads-view", "data-testid": "hv-root" },
      this.choiceBar,
      this.notes,
      this.shown.element,
    );
    this.element.onkeydown = (event) => this.onKey(event);
    parent.append(this.element);
    this.resizes = new ResizeObserver(() => this.onResize());
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.render());
  }

  show({ request, content }, commit) {
    Object.assign(this, { content, labels: request.labels });
    this.settled.adopt(request, commit);
    for (const [name, choice] of Object.entries(this.choices)) {
      choice.setLabels(this.labels[name], name === "head" ? this.labels.head_keys : "");
    }
    this.notes.textContent = request.notes.join(" ");
    this.notes.hidden = request.notes.length === 0;
    this.shown.setLabels(this.labels);
    this.render();
  }

  get view() {
    return this.settled.view;
  }

  choose(name, chosen) {
    this.change({ [name]: name === "module" ? this.content.modules[chosen].name : chosen });
  }

  // Another module has other layers and tokens, another layer no cell that was pinned in this one.
  change(change) {
    const next = { ...this.view, ...change };
    const module = moduleOf(this.content, next);
    const isElsewhere = ["module", "layer", "head"].some((name) => next[name] !== this.view[name]);
    if (isElsewhere && !change.pinned) change = { ...change, pinned: null };
    if (next.token) {
      const count = next.token[0] === "query" ? module.queries.length : module.keys.length;
      change = { ...change, token: [next.token[0], Math.min(next.token[1], count - 1)] };
    }
    this.settled.change({ ...change, layer: Math.min(next.layer, module.layers - 1) });
    this.render();
    this.settled.commitIn();
  }

  render() {
    this.width = this.element.clientWidth;
    if (this.width === 0 || !this.content) return; // hidden, in a closed tab for instance
    const look = lookOf(this.element); // before anything is changed, which would have to be styled for it
    const { content, view, labels } = this;
    const n = content.modules.findIndex(({ name }) => name === view.module);
    const options = {
      module: [content.modules.map(({ name }) => labels[name]), n],
      layer: [numbers(content.modules[n].layers), view.layer],
      head: [numbers(content.heads), view.head],
    };
    for (const [name, choice] of Object.entries(this.choices)) choice.update(...options[name]);
    this.shown.update(content, view, look, this.width);
  }

  onResize() {
    if (this.content && this.element.clientWidth !== this.width) this.render();
  }

  onKey(event) {
    chooseByDigit(event, this.content.heads, (head) => this.shown.onDigit(head));
  }

  remove() {
    this.settled.wait();
    this.resizes.disconnect();
    this.element.remove();
  }
}
