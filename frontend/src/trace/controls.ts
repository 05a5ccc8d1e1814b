// @ts-nocheck
// The bar above the matrices: which layer, which head, which step.

import { Choice, numbers } from "../kit/choice.ts";
import { element, fillNodes, fillText, setFace } from "../kit/dom.ts";

const BEAT = 900; // milliseconds per step while playing

export class Controls {
  // `events`: onChange({layer | head | step}), onPlay(isPlaying)
  constructor(events) {
    this.events = events;
    this.timer = null;
    this.layers = new Choice("tv", "layer", (layer) => events.onChange({ layer }));
    this.heads = new Choice("tv", "head", (head) => events.onChange({ head }));
    this.slider = element("input", { type: "range", min: 0, step: 1, "data-testid": "tv-step" });
    this.stepName = element("span", { className: "name" });
    this.stepText = element("p", { className: "step-text", "data-testid": "tv-step-text" });
    const jump = (name, target) =>
      element("button", { type: "button", "data-testid": `tv-${name}`, onclick: () => this.goTo(target()) });
    this.buttons = {
      first: jump("first", () => 0),
      previous: jump("previous", () => this.view.step - 1),
      play: element("button", { type: "button", "data-testid": "tv-play", onclick: () => this.toggle() }),
      next: jump("next", () => this.view.step + 1),
      last: jump("last", () => this.steps - 1),
    };
    this.slider.oninput = () => this.goTo(Number(this.slider.value));
    this.element = element(
      "div",
      { className: "controls" },
      element("div", { className: "choices" }, this.layers.element, this.heads.element),
      element(
        "div",
        { className: "stepper" },
        this.stepName,
        element("div", { className: "segments" }, ...Object.values(this.buttons)),
        this.slider,
      ),
      this.stepText,
    );
  }

  get steps() {
    return this.trace.read.length;
  }

  setLabels(labels) {
    this.labels = labels;
    this.layers.setLabels(labels.layer, "");
    this.heads.setLabels(labels.head, labels.head_keys);
    this.stepName.textContent = labels.step;
    this.slider.setAttribute("aria-label", labels.step);
    for (const name of ["first", "previous", "next", "last"]) setFace(this.buttons[name], name, labels[name], false);
    this.setPlayFace();
  }

  update(trace, view) {
    Object.assign(this, { trace, view });
    this.layers.update(numbers(trace.layers), view.layer);
    this.heads.update(numbers(trace.heads), view.head);
    if (Number(this.slider.max) !== this.steps - 1) this.slider.max = this.steps - 1; // each looks at the page's layout
    if (Number(this.slider.value) !== view.step) this.slider.value = view.step;
    const words = {
      step: view.step + 1,
      steps: this.steps,
      read: trace.read[view.step],
      predicted: trace.predicted[view.step],
    };
    const text = trace.ended && view.step >= trace.ended ? this.labels.step_ended : this.labels.step_text;
    this.stepText.replaceChildren(...fillNodes(text, { ...words, ended: trace.ended }));
    this.slider.setAttribute("aria-valuetext", fillText(text, { ...words, ended: trace.ended }));
    this.buttons.first.disabled = this.buttons.previous.disabled = view.step === 0;
    this.buttons.next.disabled = this.buttons.last.disabled = view.step === this.steps - 1;
    this.buttons.play.disabled = this.steps === 1;
  }

  goTo(step) {
    this.stop();
    this.events.onChange({ step });
  }

  toggle() {
    if (this.timer) this.stop();
    else this.play();
  }

  play() {
    if (this.view.step === this.steps - 1) this.events.onChange({ step: 0 });
    this.timer = setInterval(() => {
      this.events.onChange({ step: this.view.step + 1 });
      if (this.view.step === this.steps - 1) this.stop();
    }, BEAT);
    this.setPlayFace();
    this.events.onPlay(true);
  }

  stop() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
    this.setPlayFace();
    this.events.onPlay(false);
  }

  setPlayFace() {
    const name = this.timer ? "pause" : "play";
    setFace(this.buttons.play, name, this.labels[name], false);
  }
}
