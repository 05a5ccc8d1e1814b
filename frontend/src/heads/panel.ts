// What the components of the page Heads share: the choice of module, layer and head, and how their tokens are merged.

import { Choice, numbers } from "../kit/choice.ts";
import type { Labels, Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element } from "../kit/dom.ts";
import { type Look, lookOf } from "../kit/look.ts";
import type { ViewState } from "../kit/view_state.ts";
import { type Axes, moduleOf } from "../maps/maps.ts";
import { roomBelow, type Surroundings } from "../maps/stage.ts";
import { type Change, type HeadsView, tokensOf } from "./view.ts";

export interface Heads {
  readonly modules: readonly Axes[];
}

// What a panel shows. `update` runs at every change and every new width; its `height` is what fits on the screen.
// `onDigit` gets the number of a head, from 0.
export interface Shown<Content> {
  readonly element: HTMLElement;
  setLabels(labels: Labels): void;
  update(content: Content, view: HeadsView, look: Look, width: number, height: number): void;
  onDigit(head: number): void;
}

type Chosen = "module" | "layer" | "head";
const SWITCHES = ["words", "nosinks"] as const;
const SAYS = { words: "merge_words", nosinks: "hide_sinks" };
type Switched = (typeof SWITCHES)[number];

export class HeadsPanel<Packed, Content extends Heads>
  implements Panel<Packed & { readonly notes: readonly string[] }>
{
  readonly #state: ViewState<HeadsView>;
  readonly #read: (packed: Packed) => Content;
  readonly #shown: Shown<Content>;
  readonly #choices: readonly (readonly [Chosen, Choice])[];
  readonly #switches: readonly (readonly [Switched, HTMLInputElement, HTMLElement])[];
  readonly #notes = element("p", { className: "plot-note", testId: "hv-notes", role: "note" });
  readonly #element: HTMLElement;
  readonly #resizes: ResizeObserver;
  #content: Content | null = null;
  #labels: Labels = {};
  #width = 0;

  // `choices`: the controls of the view; `isMerged`: whether its tokens may be merged and hidden.
  constructor(
    parent: HTMLElement,
    state: ViewState<HeadsView>,
    read: (packed: Packed) => Content,
    create: (change: Change, around: Surroundings) => Shown<Content>,
    choices: readonly Chosen[],
    isMerged: boolean,
  ) {
    this.#state = state;
    this.#read = read;
    this.#choices = choices.map((name) => [name, new Choice("hv", name, (place) => this.#choose(name, place))]);
    this.#switches = (isMerged ? SWITCHES : []).map((name) => {
      const box = element("input", { type: "checkbox", testId: `hv-${name}` });
      box.onchange = () => this.#change({ [name]: box.checked });
      return [name, box, element("span")];
    });
    this.#shown = create((part) => this.#change(part), {
      choices: this.#choices.map(([, choice]) => choice.element),
      more: this.#switches.map(([, box, text]) => element("label", { className: "switch" }, box, text)),
      notes: [this.#notes],
    });
    this.#element = element("div", { className: "view heads-view", testId: "hv-root" }, this.#shown.element);
    this.#element.onkeydown = (event) => {
      if (!this.#content) return;
      const { heads } = moduleOf(this.#content.modules, this.#state.view);
      chooseByDigit(event, heads, (head) => this.#shown.onDigit(head));
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

  show(packed: Packed & { readonly notes: readonly string[] }, labels: Labels): void {
    this.#content = this.#read(packed);
    this.#labels = labels;
    for (const [name, choice] of this.#choices) choice.setLabels(labels[name], name === "head" ? labels.head_keys : "");
    for (const [name, , text] of this.#switches) {
      text.textContent = labels[SAYS[name]];
      text.parentElement!.hidden = !labels[SAYS[name]];
    }
    this.#notes.textContent = packed.notes.join(" ");
    this.#notes.hidden = packed.notes.length === 0;
    this.#shown.setLabels(labels);
    this.#render();
  }

  remove(): void {
    this.#resizes.disconnect();
    this.#element.remove();
  }

  #choose(name: Chosen, place: number): void {
    if (this.#content) this.#change({ [name]: name === "module" ? this.#content.modules[place].name : place });
  }

  // Another module may have fewer layers, heads and tokens; a cell pinned in one head is not pinned in another.
  #change(part: Partial<HeadsView>): void {
    if (!this.#content) return;
    const { view } = this.#state;
    const next = { ...view, ...part };
    const module = moduleOf(this.#content.modules, next);
    const isElsewhere = next.module !== view.module || next.layer !== view.layer || next.head !== view.head;
    const [side, place] = next.token ?? ["query", 0];
    this.#state.change({
      ...part,
      layer: Math.min(next.layer, module.layers - 1),
      head: Math.min(next.head, module.heads - 1),
      token: next.token && [side, Math.min(place, tokensOf(module, side).length - 1)],
      pinned: isElsewhere ? (part.pinned ?? null) : next.pinned,
    });
    this.#render();
    this.#state.commitIn();
  }

  #render(): void {
    this.#width = this.#element.clientWidth;
    const content = this.#content;
    const labels = this.#labels;
    const width = this.#width;
    if (width === 0 || !content) return; // hidden, for instance in a closed tab
    const look = lookOf(this.#element); // read first: after a change the browser would have to restyle the page for it
    const { view } = this.#state;
    const module = moduleOf(content.modules, view);
    const options: Record<Chosen, readonly [string[], number]> = {
      module: [content.modules.map(({ name }) => labels[`short_${name}`]), content.modules.indexOf(module)],
      layer: [numbers(module.layers), view.layer],
      head: [numbers(module.heads), view.head],
    };
    for (const [name, choice] of this.#choices) choice.update(...options[name]);
    for (const [name, box] of this.#switches) box.checked = view[name];
    this.#shown.update(content, view, look, width, roomBelow(width));
  }
}
