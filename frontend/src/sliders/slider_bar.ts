// @ts-nocheck
// Entry point of slider_bar.py: sliders and rows of buttons. The views that go along with them hear of every move at once,
// Python where they come to rest, and at once where a view waits for it.

import { announce } from "../kit/bar.ts";
import { Choice } from "../kit/choice.ts";
import { element, whenStyled } from "../kit/dom.ts";
import { mounting } from "../kit/mount.ts";
import { reader } from "../kit/reader.ts";
import { REST, Settled } from "../kit/settled.ts";

const PAUSE = 150; // milliseconds between two commits of a slider that is dragged, while a view waits

class SliderBar {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.last = -Infinity;
    this.element = element("div", { className: "view slider-bar", role: "group", "data-testid": "sb-root" });
    parent.append(this.element);
    whenStyled(parent, this.element, () => {});
  }

  show(request, commit) {
    this.settled.adopt(request, commit);
    const described = JSON.stringify(request.sliders);
    if (described !== this.described) this.build(request.sliders);
    this.described = described;
    this.element.setAttribute("aria-label", request.label);
    this.key = request.key;
    this.render();
    announce(this.key, this.settled.view.places);
  }

  build(sliders) {
    this.parts = sliders.map((slider, n) => (slider.isChoice ? this.newChoice(slider, n) : this.newSlider(slider, n)));
    this.element.replaceChildren(...this.parts.map((part) => part.element));
  }

  newChoice({ name, label, hint, texts }, n) {
    const choice = new Choice("sb", name, (place) => this.move(n, place));
    choice.setLabels(label, hint);
    return { element: choice.element, update: (place) => choice.update(texts, place) };
  }

  newSlider({ name, label, hint, texts }, n) {
    const value = element("output", { "data-testid": `sb-value-${name}` });
    const input = element("input", {
      type: "range",
      min: 0,
      max: texts.length - 1,
      step: 1,
      "data-testid": `sb-${name}`,
      oninput: () => this.move(n, input.valueAsNumber),
    });
    input.setAttribute("aria-label", label);
    const head = element(
      "span",
      { className: "head" },
      element("span", { className: "name", textContent: label }),
      value,
    );
    return {
      element: element("label", { className: "slider", title: hint }, head, input),
      update: (place) => {
        if (input.valueAsNumber !== place) input.valueAsNumber = place;
        input.setAttribute("aria-valuetext", texts[place]);
        value.textContent = texts[place];
      },
    };
  }

  move(n, place) {
    const places = this.settled.view.places.with(n, place);
    this.settled.change({ places, isAwaited: false });
    this.render();
    clearTimeout(this.rest);
    const { views, waiting } = announce(this.key, places);
    if (views && !waiting) {
      this.settled.commitIn();
      return;
    }
    // First what is waited for; what lies around it once the slider rests.
    this.settled.change({ isAwaited: views > 0 });
    const now = performance.now();
    const pause = now - this.last < PAUSE ? PAUSE : 0;
    if (!pause) this.last = now;
    this.settled.commitIn(pause);
    if (views) this.rest = setTimeout(() => this.comeToRest(), pause + REST);
  }

  comeToRest() {
    this.settled.change({ isAwaited: false });
    this.settled.commitIn(0);
  }

  render() {
    this.parts.forEach((part, n) => part.update(this.settled.view.places[n]));
  }

  remove() {
    clearTimeout(this.rest);
    this.settled.wait();
    this.element.remove();
  }
}

export default mounting(SliderBar, (bytes) => reader(bytes).readJson());
