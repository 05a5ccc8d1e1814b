// @ts-nocheck
// The component of film_view.py: a slider through the snapshots of a run, its curves, and all heads at a glance.

import { Choice } from "../kit/choice.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element, fillText, whenStyled } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { Stepper } from "../kit/stepper.ts";
import { Glance } from "../maps/glance.ts";
import { FilmCurve, numberTexts } from "./film_curve.ts";

const BEAT = 700; // milliseconds a snapshot while playing

export class FilmPanel {
  constructor(parent, lastViews) {
    this.lastViews = lastViews;
    this.sentence = new Choice("fv", "sentence", (n) => this.change({ sentence: n, pinned: null }));
    this.stepper = new Stepper("fv", "slider", BEAT, {
      onMove: (at) => this.change({ at }),
      onPlay: (isPlaying) => isPlaying || this.keepInLink(),
    });
    this.facts = element("p", { className: "step-text", "data-testid": "fv-facts" });
    this.curve = new FilmCurve((at) => this.stepper.goTo(at));
    this.glance = new Glance((change) => this.change(change));
    this.noHeads = element("p", { className: "plot-note", "data-testid": "fv-no-heads" });
    this.element = element(
      "div",
      { className: "view heads-view film", "data-testid": "fv-root" },
      this.sentence.element,
      this.stepper.element,
      this.facts,
      this.curve.element,
      this.glance.element,
      this.noHeads,
    );
    this.element.onkeydown = (event) => this.onKey(event);
    parent.append(this.element);
    this.resizes = new ResizeObserver(() => this.element.clientWidth !== this.width && this.render());
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.render());
  }

  show({ request, film }) {
    const { key, revision, at, parameter, labels } = request;
    const known = this.revision === revision ? { view: this.view, last: this.last } : this.lastViews.get(key);
    Object.assign(this, { key, revision, parameter, labels, film });
    if (known && (known.revision ?? revision) === revision) {
      // A run that goes on: who looks at its newest snapshot goes along.
      this.view = { ...known.view, at: known.view.at === known.last ? this.last : Math.min(known.view.at, this.last) };
    } else {
      this.stepper.stop();
      this.view = { at, sentence: 0, ...OPENING };
    }
    this.sentence.setLabels(labels.sentence, "");
    this.stepper.setLabels(labels.snapshot, labels);
    this.glance.setLabels(labels);
    this.noHeads.textContent = labels.no_heads;
    this.remember();
    this.render();
  }

  get last() {
    return this.film.snapshots.length - 1;
  }

  remember() {
    this.lastViews.set(this.key, { revision: this.revision, view: this.view, last: this.last });
  }

  change(change) {
    const isElsewhere = ["module", "layer", "head"].some((name) => name in change && change[name] !== this.view[name]);
    this.view = { ...this.view, ...(isElsewhere ? { pinned: null } : {}), ...change };
    this.view.at = Math.max(0, Math.min(this.view.at, this.last));
    this.remember();
    this.render();
    if ("at" in change) this.keepInLink();
  }

  // Written by the browser, so that scrubbing sends nothing to the server.
  keepInLink() {
    if (!this.parameter || this.stepper.isPlaying) return;
    const url = new URL(location.href);
    if (this.view.at === this.last) url.searchParams.delete(this.parameter);
    else url.searchParams.set(this.parameter, this.view.at + 1);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  render() {
    this.width = this.element.clientWidth;
    if (!this.film) return;
    const { film, view, labels } = this;
    const snapshot = film.snapshots[view.at];
    const place = fillText(labels.at, { step: snapshot.step, steps: film.steps });
    const text = [place, ...numberTexts(snapshot, labels)].join(" · ");
    this.stepper.update(view.at, this.last, text);
    if (this.width === 0) return; // hidden, in a closed tab for instance
    this.sentence.element.hidden = film.sentences.length < 2;
    this.sentence.update(film.sentences, view.sentence);
    this.facts.textContent = text;
    this.curve.update(film, view.at, labels, this.width);
    const content = film.frames[view.sentence]?.[view.at];
    this.glance.element.hidden = !content;
    this.noHeads.hidden = Boolean(content);
    if (content) this.glance.update(content, view, lookOf(this.element), this.width);
  }

  onKey(event) {
    chooseByDigit(event, this.film.frames[0]?.[0].heads ?? 0, (head) => this.glance.onDigit(head));
  }

  remove() {
    this.stepper.remove();
    this.resizes.disconnect();
    this.element.remove();
  }
}

// What the glance of heads_view.py is asked for: all heads, by their place, none opened.
const OPENING = {
  only: "",
  score: "",
  order: "place",
  module: "cross",
  layer: 0,
  head: 0,
  is_open: false,
  pinned: null,
};
