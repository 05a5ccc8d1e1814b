// A trace: the words of its output to click; one attention module large, the others small; beside them, in a sentence and
// in numbers, what the chosen head and the model did at the chosen word.

import { Choice } from "../kit/choice.ts";
import type { Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { afterFrame, element, type Labels, setChildren } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { tellReading } from "../kit/reading.ts";
import { visible } from "../kit/tokens.ts";
import type { ViewState } from "../kit/view_state.ts";
import { roomFor } from "../kit/window.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { AXIS, canvasSize, GAP, layOutMatrices, STAGE, type Style } from "../matrix/layout.ts";
import type { Cell, Geometry } from "../matrix/matrix.ts";
import { type HeadMatrix, headWords, labelled, topColumns } from "../matrix/words.ts";
import { Bars } from "../trace/bars.ts";
import { Controls } from "../trace/controls.ts";
import { Legend } from "../trace/legend.ts";
import { type HeadMaps, matrixOf, type Trace, type TraceContent, traceOf } from "../trace/payload.ts";
import { probabilitiesOf, sentenceOfDoubt, TintSwitch } from "./doubt.ts";
import { Passage, sentenceOf } from "./reading.ts";
import { Thumbnail } from "./thumbnail.ts";

const LONG = 24; // keys; where there are more, a passage shows them as a text
const ABOVE_AND_BELOW = 320; // px of the window that are not the large matrix' cells
const LEAST = 260; // px of it that are
const OWN = 215; // px of the title, the labels and the legend
const ENCODER = "encoder_self";
const LARGE: Style = { ...STAGE, narrowest: 0, margin: GAP + AXIS, largest: 120 };

export interface TraceView {
  readonly layer: number;
  readonly head: number;
  readonly step: number;
  readonly module: string; // the large one
  readonly pinned: Cell | null; // of the module
  readonly tinted: boolean; // the words of the output, the more the less probable they are
}

// An attention module, large and small.
interface Shown {
  readonly maps: () => HeadMaps;
  geometry: Geometry | null; // once it is laid out
  readonly figure: MatrixFigure<HeadMatrix>;
  readonly thumbnail: Thumbnail;
}

export class TracePanel implements Panel<TraceContent> {
  readonly #state: ViewState<TraceView>;
  readonly #words: Choice;
  readonly #tint: TintSwitch;
  readonly #doubt = element("p", { className: "doubt", testId: "tv-doubt" });
  readonly #controls: Controls;
  readonly #legend = new Legend();
  readonly #bars = new Bars();
  readonly #passage = new Passage();
  readonly #sentence = element("p", { className: "sentence", testId: "tv-sentence" });
  readonly #place = element("div", { className: "figure" });
  readonly #small = element("div", { className: "thumbnails" });
  readonly #element: HTMLElement;
  readonly #resizes: ResizeObserver;
  #modules: readonly Shown[] = [];
  #large: Shown | null = null; // as arranged
  #labels: Labels = {};
  #trace: Trace | null = null;
  #width = 0; // as laid out
  #isPlaying = false;

  constructor(parent: HTMLElement, state: ViewState<TraceView>) {
    this.#state = state;
    this.#words = new Choice("tv", "word", (step) => {
      this.#controls.stop();
      this.#change({ step });
    });
    this.#words.element.classList.add("words");
    this.#tint = new TintSwitch(() => this.#change({ tinted: !this.#state.view.tinted }));
    this.#words.element.append(this.#tint.element);
    this.#controls = new Controls({
      onChange: (change) => this.#change(change),
      onPlay: (isPlaying) => {
        this.#isPlaying = isPlaying;
        this.#commitSoon();
      },
    });
    const left = element("div", { className: "enlarged" }, this.#passage.element, this.#place, this.#legend.element);
    const side = element("div", { className: "of-word" }, this.#sentence, this.#controls.element, this.#bars.element);
    this.#element = element(
      "div",
      { className: "view trace", testId: "tv-root" },
      this.#words.element,
      this.#doubt,
      element("div", { className: "parts" }, left, this.#small, side),
    );
    this.#element.onkeydown = (event) => {
      if (this.#trace) chooseByDigit(event, this.#trace.heads, (head) => this.#change({ head }));
    };
    parent.append(this.#element);

    this.#resizes = new ResizeObserver(() => {
      if (this.#place.clientWidth !== this.#width) this.#refresh();
    });
    this.#resizes.observe(this.#place);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  get hears(): HTMLElement {
    return this.#element;
  }

  show(content: TraceContent, labels: Labels, moved: boolean): void {
    this.#trace = traceOf(content);
    this.#labels = labels;
    if (moved) this.#controls.stop();
    if (this.#modules.length === 0) this.#modules = this.#trace.modules.map(({ name }) => this.#moduleOf(name));
    for (const part of [this.#controls, this.#legend, this.#bars]) part.setLabels(labels);
    this.#words.setLabels(labels.words, labels.words_hint);
    this.#tint.setLabels(labels.tint, labels.tint_hint);
    this.#doubt.replaceChildren(...sentenceOfDoubt(this.#trace.doubts, labels));
    this.#doubt.hidden = this.#trace.doubts.length === 0;
    for (const { figure, thumbnail } of this.#modules) {
      figure.setWords(headWords(figure.name, labels), labels);
      thumbnail.setLabels(labels[figure.name], labels.enlarge);
    }
    this.#refresh();
  }

  #moduleOf(name: string): Shown {
    return {
      maps: () => this.#trace!.module(name),
      geometry: null,
      figure: new MatrixFigure<HeadMatrix>(name, "tv", {
        onPin: (module, pinned) => this.#change({ module, pinned }),
        onFocus: () => {},
      }),
      thumbnail: new Thumbnail(name, () => this.#swap(name)),
    };
  }

  // The button disappears; the focus goes to the matrix, where a person goes on by keyboard.
  #swap(module: string): void {
    this.#change({ module, pinned: null });
    this.#modules.find(({ figure }) => figure.name === module)?.figure.canvas.focus({ preventScroll: true });
  }

  #change(change: Partial<TraceView>): void {
    if (!this.#trace) return;
    const step = change.step ?? this.#state.view.step;
    this.#state.change({ ...change, step: Math.max(0, Math.min(step, this.#trace.read.length - 1)) });
    this.#render(this.#trace);
    this.#commitSoon();
  }

  #commitSoon(): void {
    if (this.#isPlaying) this.#state.wait();
    else this.#state.commitIn();
  }

  #refresh(): void {
    if (!this.#trace) return;
    this.#layOut();
    this.#render(this.#trace);
  }

  // Sizes: they change with the trace, the width and the theme, not with the view. The place is as high as the highest
  // module, so that nothing below it moves when another one is large.
  #layOut(): void {
    this.#width = this.#place.clientWidth;
    this.#large = null;
    if (this.#width === 0) return; // hidden, in a closed tab for instance
    const { font, ratio } = lookOf(this.#element);
    const doubt = this.#doubt.offsetHeight;
    const tallest = roomFor(ABOVE_AND_BELOW + doubt, LEAST, this.#place.offsetTop + OWN);
    const room = { width: this.#width, gap: 0, font, ratio };
    let [largest, highest] = [LARGE.largest, 0];
    // Cross-attention, which opens the page, takes the room there is; no other has larger cells.
    for (const module of this.#modules.toSorted((one) => (one.figure.name === "cross" ? -1 : 0))) {
      const matrix = labelled(module.maps());
      const { axisNames } = headWords(module.figure.name, this.#labels);
      [module.geometry] = layOutMatrices([matrix], room, { ...LARGE, tallest, largest }).geometries;
      if (highest === 0) largest = module.geometry.cellHeight;
      highest = Math.max(highest, canvasSize(module.geometry, matrix, axisNames, font).height);
    }
    this.#place.style.setProperty("--highest", `${highest}px`);
  }

  // One module large, the others small, in the colours of the page.
  #arrange(large: Shown): void {
    if (this.#large === large) return;
    this.#large = large;
    setChildren(this.#place, [large.figure.element]);
    setChildren(
      this.#small,
      this.#modules.filter((one) => one !== large).map(({ thumbnail }) => thumbnail.element),
    );
    if (large.geometry) large.figure.setLook(large.geometry, lookOf(large.figure.element));
    for (const { thumbnail } of this.#modules)
      if (thumbnail !== large.thumbnail) thumbnail.setLook(lookOf(thumbnail.element));
  }

  #render(trace: Trace): void {
    const { view } = this.#state;
    this.#words.update(trace.predicted.map(visible), view.step);
    this.#words.tint(probabilitiesOf(trace.next).map((probability) => (view.tinted ? 1 - probability : 0)));
    this.#tint.update(view.tinted);
    this.#controls.update({ ...trace, ended: null }, view);
    afterFrame(() => this.#showBars()); // filling them takes as long as a frame
    const large = this.#modules.find(({ figure }) => figure.name === view.module) ?? this.#modules[0];
    this.#arrange(large);
    if (this.#width === 0) return;

    const matrixAt = ({ maps }: Shown) => matrixOf(maps(), view.layer, view.head);
    // The encoder reads the whole source at once.
    const stepOf = ({ figure }: Shown) => (figure.name === ENCODER ? null : view.step);
    const matrix = matrixAt(large);
    large.figure.update(matrix, stepOf(large), view.pinned);
    for (const one of this.#modules) if (one !== large) one.thumbnail.update(matrixAt(one), stepOf(one));
    const row = stepOf(large) ?? this.#sourceRow(trace, matrix);
    large.figure.link([stepOf(large) === null ? row : null, null]);
    this.#sentence.replaceChildren(...sentenceOf(matrix, row, stepOf(large) === null, this.#labels));
    tellReading(this.#sentence);
    this.#passage.element.hidden = matrix.columnLabels.length <= LONG;
    if (!this.#passage.element.hidden) this.#passage.update(matrix, row);
    this.#showWord(view.step);
  }

  // The source token that the sentence is about: the pinned one, or else the one that the word is written from.
  #sourceRow(trace: Trace, { rowLabels }: HeadMatrix): number {
    const { pinned, layer, head, step } = this.#state.view;
    const row = pinned ? pinned[0] : topColumns(matrixOf(trace.module("cross"), layer, head), step, 1)[0];
    return Math.min(row ?? 0, rowLabels.length - 1);
  }

  // Many words scroll in their box.
  #showWord(step: number): void {
    const [, box] = this.#words.element.children;
    const word = box?.children[step] as HTMLElement | undefined;
    if (!word || box.scrollHeight <= box.clientHeight) return;
    const [top, bottom] = [word.offsetTop, word.offsetTop + word.offsetHeight];
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }

  #showBars(): void {
    if (this.#trace) this.#bars.update(this.#trace.next, this.#state.view.step);
  }

  remove(): void {
    this.#controls.remove();
    this.#resizes.disconnect();
    this.#element.remove();
  }
}
