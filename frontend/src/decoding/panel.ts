// The whole component: the tree, the attention rows, the tokens and the next-token bars, all at the same step; below
// them either the matrices, the finished hypotheses or the cache.
//
// Python hears only of a newly chosen hypothesis, over which it then records a pass, and of a token that is to be
// forced or banned. All else stays in the browser, which keeps it in the link by itself.

import { Choice } from "../kit/choice.ts";
import { type Tensor, unpack } from "../kit/codec.ts";
import type { Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element, type Labels } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import type { ViewState } from "../kit/view_state.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { layOutMatrices, TRACE } from "../matrix/layout.ts";
import type { Cell, Matrix } from "../matrix/matrix.ts";
import { type HeadMatrix, headWords, labelled } from "../matrix/words.ts";
import { Controls } from "../trace/controls.ts";
import { Legend } from "../trace/legend.ts";
import { matrixOf, type Trace, type TraceContent, traceOf } from "../trace/payload.ts";
import { Actions, type Asked } from "./actions.ts";
import { CacheBox } from "./cache.ts";
import { causalMask, maskWords } from "./mask.ts";
import { Moment } from "./moment.ts";
import { NBest } from "./n_best.ts";
import { isSame, type Place, Search, type SearchContent } from "./search.ts";
import { Tree } from "./tree.ts";

const COLUMN_GAP = 28;
const LARGE = { ...TRACE, largest: 80 }; // three matrices share a row
const WIDE = 480; // pixels, from which on the matrices are open at first

const RESULTS = ["matrices", "finished", "cache"] as const;
type Result = (typeof RESULTS)[number];

export interface DecodingView {
  readonly layer: number;
  readonly head: number;
  readonly step: number; // of the clock, which all parts follow
  readonly node: Place; // whose hypothesis is shown
  readonly rerank: number; // the α of the ranking
  readonly module: string;
  readonly pinned: Cell | null; // of the module
  readonly zoom: number | null; // of the tree; null: as it fits
  readonly result: Result | null; // that is open below; null: see usualResult
  readonly asked: Asked | null; // for the token at the step; Python is told once
}

export interface DecodingContent {
  readonly search: Tensor<Uint8Array>; // packed
  readonly node: Place; // the end of the hypothesis that `trace` is a pass over
  readonly trace: TraceContent;
}

// What came last from Python.
interface Shown {
  readonly search: Search;
  readonly trace: Trace;
  readonly node: Place;
  readonly labels: Labels;
}

export class DecodingPanel implements Panel<DecodingContent> {
  readonly #state: ViewState<DecodingView>;
  readonly #controls: Controls;
  readonly #actions = new Actions((asked) => this.#ask(asked));
  readonly #keys = element("p", { className: "place keys" });
  readonly #tree: Tree;
  readonly #loading = element("p", { className: "loading", role: "status", testId: "dc-loading" });
  readonly #moment = new Moment();
  readonly #legend = new Legend();
  readonly #figures: readonly MatrixFigure<HeadMatrix>[];
  readonly #maskFigure: MatrixFigure;
  readonly #grid: HTMLElement;
  readonly #hypothesis: HTMLElement;
  readonly #nBest: NBest;
  readonly #cache = new CacheBox();
  readonly #results: Choice;
  readonly #matrices: HTMLElement;
  readonly #element: HTMLElement;
  readonly #resizes: ResizeObserver;
  #shown: Shown | null = null;
  #mask: Matrix | null = null;
  #width = 0; // as laid out
  #laidOut: Trace | null = null; // the trace whose matrices are laid out

  constructor(parent: HTMLElement, state: ViewState<DecodingView>) {
    this.#state = state;
    this.#controls = new Controls({ onChange: (change) => this.#change(change), onPlay: () => {} });
    this.#tree = new Tree({
      onSelect: (node) => this.#select(node),
      onStep: (step) => this.#controls.goTo(step),
      onZoom: (zoom) => this.#change({ zoom }),
    });
    this.#results = new Choice("dc", "result", (place) => this.#change({ result: this.#offered()[place] }));
    this.#nBest = new NBest({ onAlpha: (rerank) => this.#change({ rerank }), onSelect: (node) => this.#select(node) });
    const events = {
      onPin: (module: string, pinned: Cell | null) => this.#change({ module, pinned }),
      onFocus: (module: string) => {
        if (!this.#state.view.pinned) this.#change({ module });
      },
    };
    this.#figures = ["cross", "decoder_self"].map((name) => new MatrixFigure<HeadMatrix>(name, "tv", events));
    this.#maskFigure = new MatrixFigure("mask", "tv", { onPin: () => {}, onFocus: () => {} });
    const figures = [...this.#figures, this.#maskFigure].map((figure) => figure.element);
    this.#grid = element("div", { className: "matrices" }, ...figures);
    this.#matrices = element("section", { className: "of-trace" }, this.#legend.element, this.#grid);
    this.#hypothesis = element("div", { className: "hypothesis" }, this.#loading, this.#moment.element);
    const band = element("div", { className: "band" }, this.#controls.element, this.#actions.element);
    this.#element = element(
      "div",
      { className: "view decoding", testId: "dc-root" },
      this.#tree.element,
      band,
      this.#tree.readout,
      this.#hypothesis,
      this.#results.element,
      this.#matrices,
      this.#nBest.element,
      this.#cache.element,
      this.#keys,
    );
    this.#element.onkeydown = (event) => this.#onKey(event);
    parent.append(this.#element);

    this.#resizes = new ResizeObserver(() => {
      if (this.#element.clientWidth !== this.#width) this.#refresh();
    });
    this.#resizes.observe(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  get hears(): HTMLElement {
    return this.#element;
  }

  // `moved`: this is another search; another hypothesis of the same search leaves the tree as it is.
  show({ search, node, trace }: DecodingContent, labels: Labels, moved: boolean): void {
    const same = moved ? null : this.#shown;
    const isSaid = JSON.stringify(same?.labels) === JSON.stringify(labels);
    const shown = {
      search: same?.search ?? new Search(unpack<SearchContent>(search.values)),
      trace: traceOf(trace),
      node,
      labels: same && isSaid ? same.labels : labels,
    };
    if (moved) this.#settle(shown);
    this.#shown = shown;
    if (!isSaid) this.#setLabels(shown);
    this.#refresh();
  }

  // Takes the view over to another search: layer, head and zoom stay, and a person who was at the end of the hypothesis
  // is at the end of the new one.
  #settle({ search, node }: Shown): void {
    const { view, before } = this.#state;
    const { layer, head, zoom } = before ?? view;
    const wasAtEnd = this.#shown !== null && view.step >= Math.min(this.#shown.node[0], search.steps - 1);
    this.#state.change({ layer, head, zoom, step: wasAtEnd ? node[0] : view.step });
    this.#controls.stop();
  }

  #setLabels({ labels, search }: Shown): void {
    const parts = [this.#controls, this.#actions, this.#moment, this.#legend, this.#nBest, this.#cache];
    for (const part of parts) part.setLabels(labels);
    this.#results.setLabels(labels.results, "");
    this.#tree.setLabels(labels, search.content.method);
    for (const figure of this.#figures) figure.setWords(headWords(figure.name, labels), labels);
    this.#maskFigure.setWords(maskWords(labels), labels);
    this.#loading.textContent = labels.loading;
    this.#keys.textContent = labels.keys;
  }

  #change(change: Partial<DecodingView>): void {
    if (!this.#shown) return;
    const step = change.step ?? this.#state.view.step;
    this.#state.change({ ...change, step: Math.max(0, Math.min(step, this.#shown.search.steps - 1)) });
    this.#render(this.#shown);
    this.#state.commitIn();
  }

  #select(node: Place): void {
    this.#controls.stop();
    this.#change({ node, pinned: null });
    this.#state.tell();
  }

  // Cleared again at once: Python is told, and the view that is kept does not ask a second time.
  #ask(asked: Asked): void {
    this.#controls.stop();
    this.#state.change({ asked });
    this.#state.tell();
    this.#state.change({ asked: null });
  }

  #refresh(): void {
    if (!this.#shown) return;
    this.#width = this.#element.clientWidth;
    this.#laidOut = null;
    this.#render(this.#shown);
  }

  // Sizes and colours: they change with the trace, the width and the theme, not with the clock.
  #layOut(trace: Trace): void {
    const { font, isDark, ratio } = lookOf(this.#element);
    this.#mask = causalMask(trace, isDark);
    const matrices = [...trace.modules.map(labelled), this.#mask];
    const room = { width: this.#grid.clientWidth, gap: COLUMN_GAP, font, ratio };
    const { columns, geometries } = layOutMatrices(matrices, room, LARGE);
    const [geometry] = geometries; // that all of them share
    this.#grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.#grid.style.columnGap = `${COLUMN_GAP}px`;
    for (const figure of [...this.#figures, this.#maskFigure]) figure.setLook(geometry, lookOf(figure.element));
    this.#laidOut = trace;
  }

  #render({ search, trace, node, labels }: Shown): void {
    const { view } = this.#state;
    const length = trace.read.length;
    const row = Math.min(view.step, length - 1); // of the shown hypothesis, which may have ended before
    const padded = (tokens: readonly string[]) => search.levels.map((_, step) => tokens[step] ?? "");
    const { layers, heads } = trace;
    this.#controls.update(
      { layers, heads, read: padded(trace.read), predicted: padded(trace.predicted), ended: length },
      view,
    );
    this.#tree.source = trace.module("cross").keys.join(" ");
    this.#tree.update(search, view.step, view.node, view.zoom);
    const path = search.pathTo(search.at(view.node));
    this.#actions.update(path[Math.min(view.step, path.length - 1)], search.content.end);
    const isLoading = !isSame(node, view.node);
    this.#loading.hidden = !isLoading;
    this.#hypothesis.classList.toggle("waiting", isLoading);
    this.#hypothesis.setAttribute("aria-busy", String(isLoading));
    this.#moment.update(trace, row, view.layer, view.head);
    this.#renderResult(search, labels);
    if (this.#matrices.hidden || this.#grid.clientWidth === 0) return; // or hidden, in a closed tab for instance
    if (this.#laidOut !== trace) this.#layOut(trace);
    for (const figure of this.#figures) {
      const matrix = matrixOf(trace.module(figure.name), view.layer, view.head);
      figure.update(matrix, row, figure.name === view.module ? pinnedIn(matrix, view.pinned) : null);
    }
    if (this.#mask) this.#maskFigure.update(this.#mask, row, null);
  }

  // Only what is open is filled.
  #renderResult(search: Search, labels: Labels): void {
    const { view } = this.#state;
    const offered = this.#offered();
    const open = view.result && offered.includes(view.result) ? view.result : this.#usualResult(search);
    this.#results.update(
      offered.map((name) => labels[`result_${name}`]),
      open ? offered.indexOf(open) : -1,
    );
    this.#matrices.hidden = open !== "matrices";
    this.#nBest.element.hidden = open !== "finished";
    this.#cache.element.hidden = open !== "cache";
    if (open === "finished") this.#nBest.update(search, view.rerank, view.node);
    if (open === "cache") this.#cache.update(search.content.cache, view.step);
  }

  // Sampling finishes one hypothesis, so that there is nothing to rank.
  #offered(): Result[] {
    return RESULTS.filter((name) => name !== "finished" || this.#shown?.search.content.method !== "sample");
  }

  #usualResult(search: Search): Result | null {
    const { rerank, pinned } = this.#state.view;
    if (search.rankings && rerank !== search.content.alpha) return "finished";
    return pinned || this.#width >= WIDE ? "matrices" : null;
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.#shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const { search, trace } = this.#shown;
    const { step } = this.#state.view;
    const on = (event.composedPath()[0] as Element).tagName;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: step - 1,
      ArrowRight: step + 1,
      Home: 0,
      End: search.steps - 1,
    };
    if (event.key in steps && on !== "INPUT") this.#controls.goTo(steps[event.key]);
    else if (event.key === " " && on !== "BUTTON" && on !== "SUMMARY") this.#controls.toggle();
    else if (!chooseByDigit(event, trace.heads, (head) => this.#change({ head }))) return;
    event.preventDefault();
    event.stopPropagation();
  }

  remove(): void {
    this.#controls.remove();
    this.#resizes.disconnect();
    this.#element.remove();
  }
}

// The pinned cell; null where this hypothesis is too short to have it.
function pinnedIn({ rowLabels, columnLabels }: Matrix, pinned: Cell | null): Cell | null {
  return pinned && pinned[0] < rowLabels.length && pinned[1] < columnLabels.length ? pinned : null;
}
