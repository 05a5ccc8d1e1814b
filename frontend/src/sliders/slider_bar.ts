// Sliders and rows of buttons. The views that follow them hear of every move at once. Python hears of it when they come
// to rest, or at once if a view waits for what Python has to send.

import { announce } from "../kit/bar.ts";
import { Choice } from "../kit/choice.ts";
import type { Panel } from "../kit/component.ts";
import { element } from "../kit/dom.ts";
import { REST, type ViewState } from "../kit/view_state.ts";

const PAUSE = 150; // milliseconds between two commits of a slider that is dragged, while a view waits

export interface BarView {
  readonly places: readonly number[]; // where each slider is in its `texts`
  readonly awaited: boolean; // whether a view has nothing for that place and waits for it
}

export interface Sliders {
  readonly label: string;
  readonly more: string; // above those that are not the main ones
  readonly sliders: readonly Slider[];
}

interface Slider {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly texts: readonly string[];
  readonly usual: number; // its place where nobody moved it
  readonly isChoice: boolean;
  readonly isMore: boolean;
  readonly needs: readonly [slider: number, place: number] | null; // without which it does nothing
}

interface Part {
  readonly element: HTMLElement;
  update(place: number, isUsed: boolean): void;
}

export class SliderBar implements Panel<Sliders> {
  readonly #state: ViewState<BarView>;
  readonly #element = element("div", { className: "view slider-bar", role: "group", testId: "sb-root" });
  readonly #more = element("details", { testId: "sb-more" });
  #sliders: readonly Slider[] = [];
  #parts: readonly Part[] = [];
  #described = "";
  #last = -Infinity; // when Python was told of a place that is waited for
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(parent: HTMLElement, state: ViewState<BarView>) {
    this.#state = state;
    parent.append(this.#element);
  }

  show({ label, more, sliders }: Sliders): void {
    const described = JSON.stringify([more, sliders]);
    if (described !== this.#described) this.#build(sliders, more);
    this.#described = described;
    this.#element.setAttribute("aria-label", label);
    this.#render();
    announce(this.#state.key, this.#state.view.places);
  }

  remove(): void {
    clearTimeout(this.#rest);
    this.#element.remove();
  }

  #build(sliders: readonly Slider[], more: string): void {
    const { places } = this.#state.view;
    this.#sliders = sliders;
    this.#parts = sliders.map((slider, n) =>
      slider.isChoice ? this.#newChoice(slider, n) : this.#newSlider(slider, n),
    );
    const elements = (isMore: boolean) =>
      this.#parts.filter((_, n) => sliders[n].isMore === isMore).map((part) => part.element);
    const others = elements(true);
    this.#more.hidden = others.length === 0;
    this.#more.open ||= sliders.some(({ isMore, usual }, n) => isMore && places[n] !== usual);
    this.#more.replaceChildren(element("summary", { textContent: more }), ...others);
    this.#element.replaceChildren(...elements(false), this.#more);
  }

  #newChoice({ name, label, hint, texts }: Slider, n: number): Part {
    const choice = new Choice("sb", name, (place) => this.#move(n, place));
    choice.setLabels(label, "");
    choice.element.append(hintOf(hint));
    return { element: choice.element, update: (place) => choice.update(texts, place) };
  }

  #newSlider({ name, label, hint, texts }: Slider, n: number): Part {
    const value = element("span", { className: "value", testId: `sb-value-${name}` });
    const input = element("input", {
      type: "range",
      min: 0,
      max: texts.length - 1,
      step: 1,
      testId: `sb-${name}`,
      "aria-label": label,
      oninput: () => this.#move(n, input.valueAsNumber),
    });
    const named = element("span", { className: "name", textContent: label });
    const head = element("span", { className: "head" }, named, value);
    return {
      element: element("label", { className: "slider" }, head, input, hintOf(hint)),
      update: (place, isUsed) => {
        input.disabled = !isUsed;
        if (input.valueAsNumber !== place) input.valueAsNumber = place;
        input.setAttribute("aria-valuetext", texts[place]);
        value.textContent = texts[place];
      },
    };
  }

  #move(n: number, place: number): void {
    const places = this.#state.view.places.with(n, place);
    this.#state.change({ places, awaited: false });
    this.#render();
    clearTimeout(this.#rest);
    const { views, waiting } = announce(this.#state.key, places);
    if (views && !waiting) {
      this.#state.commitIn();
      return;
    }
    // Asks Python only for what a view waits for; once the slider rests, also for the places around it.
    this.#state.change({ awaited: views > 0 });
    const now = performance.now();
    const pause = now - this.#last < PAUSE ? PAUSE : 0;
    if (!pause) this.#last = now;
    this.#state.commitIn(pause);
    if (views) this.#rest = setTimeout(() => this.#comeToRest(), pause + REST);
  }

  #comeToRest(): void {
    this.#state.change({ awaited: false });
    this.#state.commitIn(0);
  }

  #render(): void {
    const { places } = this.#state.view;
    this.#parts.forEach((part, n) => {
      const { needs } = this.#sliders[n];
      part.update(places[n], !needs || places[needs[0]] === needs[1]);
    });
  }
}

function hintOf(hint: string): HTMLElement {
  return element("small", { className: "hint", textContent: hint, hidden: !hint });
}
