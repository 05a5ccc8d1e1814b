// The logit lens: for each decoder layer and position the token that the layer would predict; for the chosen place,
// more of its likeliest tokens.

import type { Tensor } from "../kit/codec.ts";
import { cssOf, WEIGHTS } from "../kit/colour.ts";
import type { Labels, Panel } from "../kit/component.ts";
import { element, fillNodes, fillText } from "../kit/dom.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import { numberText } from "../kit/numbers.ts";
import { type Saved, SaveMenu } from "../kit/save.ts";
import { headRow, rowOf, tokenNodes } from "../kit/table.ts";
import { visible } from "../kit/tokens.ts";
import type { ViewState } from "../kit/view_state.ts";
import { READING, speak } from "../kit/voice.ts";
import { Bars } from "../trace/bars.ts";
import type { NextTokens } from "../trace/payload.ts";

type Place = readonly [layer: number, position: number];

export interface LensView {
  readonly spot: Place; // the embedding is layer 0
}

// Of N + 1 layers, the embedding first, and T positions.
export interface LensContent {
  readonly layers: readonly string[];
  readonly read: readonly string[]; // T
  readonly written: readonly string[]; // T
  readonly names: readonly string[]; // of the tokens below
  readonly tokens: Tensor<Int32Array>; // (N + 1, T, k), the likeliest first, as indices into `names`
  readonly logProbs: Tensor<Float32Array>; // (N + 1, T, k)
  readonly taken: Tensor<Int32Array>; // (T), the tokens that are written, as indices into `names`
  readonly takenLogProbs: Tensor<Float32Array>; // (N + 1, T)
  readonly ranks: Tensor<Int32Array>; // (N + 1, T)
  readonly entropies: Tensor<Float32Array>; // (N + 1, T)
  readonly divergences: Tensor<Float32Array>; // (N + 1, T)
  readonly vocabulary: number;
}

const MOVES: Readonly<Record<string, Place>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class LensPanel implements Panel<LensContent> {
  readonly #state: ViewState<LensView>;
  readonly #table = element("table", { className: "lens", testId: "ll-grid", "data-term": "logit-lens" });
  readonly #scroller = element("div", { className: "scroller" }, this.#table);
  readonly #legend = element("div", { className: "legend", testId: "ll-legend" });
  readonly #said = element("p", { className: "reads", testId: "ll-said" });
  readonly #bars = new Bars();
  readonly #element: HTMLElement;
  readonly #saveMenu: SaveMenu;
  #buttons: HTMLButtonElement[][] = []; // by layer and position
  readonly #corner = element("th", { scope: "col" }); // above the layers' names, which do not scroll
  #content: LensContent | null = null;
  #labels: Labels = {};

  constructor(parent: HTMLElement, state: ViewState<LensView>) {
    this.#state = state;
    this.#table.onkeydown = (event) => this.#onKey(event);
    this.#element = element(
      "div",
      { className: "view heads-view", testId: "ll-root" },
      element(
        "div",
        { className: "stage lens-stage" },
        element("div", {}, this.#scroller, this.#legend),
        element("div", { className: "side" }, this.#bars.element, this.#said),
      ),
    );
    this.#saveMenu = new SaveMenu(this.#element, () => this.#saved(), "ll-save");
    this.#element.append(element("div", { className: "tools" }, this.#saveMenu.element));
    parent.append(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  get hears(): HTMLElement {
    return this.#table;
  }

  show(content: LensContent, labels: Labels): void {
    this.#content = content;
    this.#labels = labels;
    this.#bars.setLabels(labels);
    this.#saveMenu.setLabels(labels);
    this.#table.setAttribute("aria-label", labels.grid);
    this.#buttons = content.layers.map((_, layer) => content.read.map((_, position) => this.#button(layer, position)));
    this.#table.style.setProperty("--rows", String(content.layers.length));
    const rows = content.layers.map((layer, n) => rowOf([layer, ...this.#buttons[n]]));
    this.#corner.textContent = labels.read;
    this.#table.replaceChildren(
      element("thead", {}, headRow([this.#corner, ...content.read.map((token, n) => tokenNodes(visible(token), n))])),
      element("tbody", {}, ...rows),
      element("tfoot", {}, headRow([labels.written, ...content.written.map((one) => [tokenOf(one)])])),
    );
    this.#legend.replaceChildren(
      element("span", { className: "entry" }, labels.probability_of, scaleElement(WEIGHTS)),
      legendEntry("right", labels.right),
    );
    this.#choose(this.#state.view.spot);
    this.#bringIntoView();
  }

  remove(): void {
    this.#element.remove();
  }

  #button(layer: number, position: number): HTMLButtonElement {
    const content = this.#content;
    const labels = this.#labels;
    if (!content) throw new Error("no content");
    const { tokens, logProbs, names, layers, written, taken, takenLogProbs, ranks } = content;
    const place = layer * content.read.length + position;
    const first = place * tokens.shape[2];
    const token = names[tokens.values[first]];
    const probability = Math.exp(logProbs.values[first]);
    const isRight = tokens.values[first] === taken.values[position];
    const words = fillText(labels.cell, {
      layer: layers[layer],
      position: position + 1,
      token,
      probability: numberText(probability),
      written: written[position],
      rank: ranks.values[place],
      written_probability: numberText(Math.exp(takenLogProbs.values[place])),
    });
    return element(
      "button",
      {
        type: "button",
        className: isRight ? "right" : "",
        style: `background-color: ${cssOf(WEIGHTS.pixelOf(probability))}; color: ${WEIGHTS.inkOn(probability)}`,
        title: words,
        "aria-label": words,
        testId: `ll-${layer}-${position + 1}`,
        onclick: () => this.#goTo([layer, position]),
        onpointerenter: () => this.#explain([layer, position]),
        onpointerleave: () => this.#explain(this.#state.view.spot),
      },
      tokenOf(token),
    );
  }

  #goTo(spot: Place): void {
    this.#state.change({ spot });
    this.#choose(spot);
    this.#state.commitIn();
  }

  #choose(spot: Place): void {
    this.#buttons.forEach((line, layer) => {
      line.forEach((button, position) => {
        const isChosen = layer === spot[0] && position === spot[1];
        button.tabIndex = isChosen ? 0 : -1;
        button.setAttribute("aria-pressed", String(isChosen));
      });
    });
    this.#explain(spot);
  }

  // What stands beside the grid: the likeliest tokens there, and the numbers of the whole distribution.
  #explain([layer, position]: Place): void {
    const content = this.#content;
    const labels = this.#labels;
    if (!content) return;
    const place = layer * content.read.length + position;
    const title = fillText(labels.place, { layer: content.layers[layer], position: position + 1 });
    this.#bars.setLabels({ ...labels, next_tokens: title });
    this.#bars.update(nextTokens(content, layer, position), 0);
    this.#said.replaceChildren(
      ...fillNodes(labels.said, {
        token: content.written[position],
        rank: content.ranks.values[place],
        vocabulary: content.vocabulary,
        entropy: numberText(content.entropies.values[place]),
        divergence: numberText(Math.max(0, content.divergences.values[place])), // below 0 by rounding only
      }),
    );
    speak(this.#said, READING);
  }

  // A row for each of the likeliest tokens of each layer and position.
  #saved(): Saved | null {
    const content = this.#content;
    const labels = this.#labels;
    if (!content) return null;
    const { layers, read, written, tokens, logProbs, names } = content;
    const [, , count] = tokens.shape;
    return {
      name: "logit-lens",
      title: labels.title,
      rows: () => [
        [labels.layer, labels.position, labels.read, labels.written, labels.rank, labels.token, labels.log_probability],
        ...layers.flatMap((layer, i) =>
          read.flatMap((token, t) =>
            Array.from({ length: count }, (_, rank) => {
              const at = (i * read.length + t) * count + rank;
              return [layer, t + 1, token, written[t], rank + 1, names[tokens.values[at]], logProbs.values[at]];
            }),
          ),
        ),
      ],
    };
  }

  #bringIntoView(): void {
    const [layer, position] = this.#state.view?.spot ?? [0, 0];
    const button = this.#buttons[layer]?.[position];
    if (!button) return;
    const [cell, box] = [button, this.#scroller].map((node) => node.getBoundingClientRect());
    const from = box.left + this.#corner.offsetWidth;
    if (cell.left >= from && cell.right <= box.right) return;
    this.#scroller.scrollLeft += (cell.left + cell.right - from - box.right) / 2;
  }

  #onKey(event: KeyboardEvent): void {
    const move = MOVES[event.key];
    if (!move) return;
    const [layer, position] = this.#state.view.spot;
    const next = [layer + move[0], position + move[1]] as const;
    const button = this.#buttons[next[0]]?.[next[1]];
    event.preventDefault();
    event.stopPropagation();
    if (!button) return;
    this.#goTo(next);
    button.focus({ preventScroll: true });
    this.#bringIntoView();
  }
}

// The tokens of one place, as the only step of a table of next tokens.
export function nextTokens(content: LensContent, layer: number, position: number): NextTokens {
  const { tokens, logProbs, names, taken, takenLogProbs, ranks, vocabulary } = content;
  const count = tokens.shape[2];
  const place = layer * content.read.length + position;
  const listed = [...tokens.values.subarray(place * count, (place + 1) * count)];
  const found = [...logProbs.values.subarray(place * count, (place + 1) * count)];
  const places = listed.map((_, n) => n + 1);
  if (!listed.includes(taken.values[position])) {
    listed.push(taken.values[position]);
    found.push(takenLogProbs.values[place]);
    places.push(ranks.values[place]);
  }
  const rest = 1 - found.reduce((sum, logProb) => sum + Math.exp(logProb), 0);
  return {
    tokens: [listed.map((token) => names[token])],
    ranks: { shape: [1, listed.length], values: Int32Array.from(places) },
    logProbs: { shape: [1, listed.length], values: Float32Array.from(found) },
    taken: { shape: [1], values: Int32Array.of(listed.indexOf(taken.values[position])) },
    rest: { shape: [1], values: Float64Array.of(Math.max(0, rest)) },
    vocabulary,
  };
}

function tokenOf(token: string): HTMLElement {
  return element("bdi", { textContent: visible(token) });
}
