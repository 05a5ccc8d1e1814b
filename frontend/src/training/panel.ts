// The film of a training run: a slider through its snapshots, its curves, and all heads at a glance.

import { Choice } from "../kit/choice.ts";
import type { Labels, Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element, fillText } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { tellReading } from "../kit/reading.ts";
import { Stepper } from "../kit/stepper.ts";
import type { ViewState } from "../kit/view_state.ts";
import { HeadGrid } from "../maps/head_grid.ts";
import { moduleOf } from "../maps/maps.ts";
import { roomBelow } from "../maps/stage.ts";
import { FilmCurve, numberTexts } from "./curve.ts";
import { Film, type FilmView, type PackedFilm } from "./film.ts";

const BEAT = 700; // milliseconds a snapshot while playing
const [WIDE, CURVE, GAP] = [760, 380, 24]; // CSS pixels; from WIDE on the curves have a column beside the heads

export class FilmPanel implements Panel<PackedFilm> {
  readonly #state: ViewState<FilmView>;
  readonly #sentence: Choice;
  readonly #stepper: Stepper;
  readonly #facts = element("p", { className: "step-text", testId: "fv-facts" });
  readonly #curve: FilmCurve;
  readonly #glance: HeadGrid;
  readonly #noHeads = element("p", { className: "plot-note", testId: "fv-no-heads" });
  readonly #pair = element("div", { className: "film-pair" });
  readonly #element: HTMLElement;
  readonly #resizes: ResizeObserver;
  #film: Film | null = null;
  #labels: Labels = {};
  #width = 0;

  constructor(parent: HTMLElement, state: ViewState<FilmView>) {
    this.#state = state;
    this.#sentence = new Choice("fv", "sentence", (sentence) => this.#change({ sentence, pinned: null }));
    this.#stepper = new Stepper("fv", "slider", BEAT, {
      onMove: (at) => this.#goTo(at),
      onPlay: () => this.#keepInLink(),
    });
    this.#curve = new FilmCurve((at) => this.#stepper.goTo(at));
    this.#glance = new HeadGrid(({ score: _score, order: _order, ...part }) => this.#change(part)); // a film has no scores
    this.#pair.append(
      element("div", { className: "film-run" }, this.#curve.element, this.#facts, this.#sentence.element),
      element("div", { className: "film-heads" }, this.#glance.element, this.#noHeads),
    );
    this.#element = element(
      "div",
      { className: "view heads-view film", testId: "fv-root" },
      this.#stepper.element,
      this.#pair,
    );
    this.#element.onkeydown = (event) => {
      const modules = this.#film?.mapsAt(0, 0)?.modules;
      if (modules)
        chooseByDigit(event, moduleOf(modules, this.#state.view).heads, (head) => this.#glance.onDigit(head));
    };
    parent.append(this.#element);
    this.#resizes = new ResizeObserver(() => {
      if (this.#element.clientWidth !== this.#width) this.#render();
    });
    this.#resizes.observe(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  get hears(): HTMLElement {
    return this.#element;
  }

  // A view of the newest snapshot (`at` is null) follows a run that is still going on.
  show(packed: PackedFilm, labels: Labels, moved: boolean): void {
    if (moved) this.#stepper.stop();
    this.#film = new Film(packed);
    this.#labels = labels;
    this.#sentence.setLabels(labels.sentence, "");
    this.#stepper.setLabels(labels.snapshot, labels);
    this.#glance.setLabels(labels);
    this.#noHeads.textContent = labels.no_heads;
    this.#render();
  }

  remove(): void {
    this.#stepper.remove();
    this.#resizes.disconnect();
    this.#element.remove();
  }

  #goTo(at: number): void {
    if (this.#film) this.#change({ at: at >= this.#film.last ? null : Math.max(0, at) });
  }

  #change(part: Partial<FilmView>): void {
    const { view } = this.#state;
    const next = { ...view, ...part };
    const isElsewhere = next.module !== view.module || next.layer !== view.layer || next.head !== view.head;
    this.#state.change({ ...part, pinned: isElsewhere ? (part.pinned ?? null) : next.pinned });
    this.#render();
    this.#keepInLink();
  }

  // Not while playing. Python is not told of the snapshot.
  #keepInLink(): void {
    if (!this.#stepper.isPlaying) this.#state.keepInLink();
  }

  #render(): void {
    this.#width = this.#element.clientWidth;
    const film = this.#film;
    const labels = this.#labels;
    const width = this.#width;
    if (!film) return;
    const { view } = this.#state;
    const at = Math.min(view.at ?? film.last, film.last);
    const place = fillText(labels.at, { step: film.snapshotSteps[at], steps: film.steps });
    const text = [place, ...numberTexts(film, at, labels)].join(" · ");
    this.#stepper.update(at, film.last, text);
    if (width === 0) return; // hidden, in a closed tab for instance
    this.#sentence.element.hidden = film.sentences.length < 2;
    this.#sentence.update(film.sentences, view.sentence);
    this.#facts.textContent = text;
    tellReading(this.#facts);
    const isWide = width >= WIDE;
    this.#pair.classList.toggle("beside", isWide);
    this.#curve.update(film, at, labels, isWide ? CURVE : width);
    const maps = film.mapsAt(view.sentence, at);
    this.#glance.element.hidden = !maps;
    this.#noHeads.hidden = maps !== null;
    if (maps)
      this.#glance.update(
        maps,
        { ...view, score: null, order: "place" },
        lookOf(this.#element),
        isWide ? width - CURVE - GAP : width,
        roomBelow(width),
      );
  }
}
