// First, previous, play, next, last, and a slider: through the steps of an output or the snapshots of a run.

import { element, type Labels, setFace } from "./dom.ts";

const JUMPS = ["first", "previous", "next", "last"] as const;

export interface StepperEvents {
  onMove(at: number): void; // may lie outside by one; whoever owns the view clamps it and calls `update`
  onPlay(isPlaying: boolean): void;
}

export class Stepper {
  readonly element: HTMLElement;
  readonly #beat: number;
  readonly #events: StepperEvents;
  readonly #name = element("span", { className: "name" });
  readonly #slider: HTMLInputElement;
  readonly #buttons: Readonly<Record<(typeof JUMPS)[number] | "play", HTMLButtonElement>>;
  #labels: Labels = {};
  #at = 0;
  #last = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  // `prefix`: of test ids; `slider`: the slider's, after the prefix. `beat`: milliseconds a step while playing.
  constructor(prefix: string, slider: string, beat: number, events: StepperEvents) {
    this.#beat = beat;
    this.#events = events;
    const button = (name: string, onclick: () => void) =>
      element("button", { type: "button", testId: `${prefix}-${name}`, onclick });
    this.#buttons = {
      first: button("first", () => this.goTo(0)),
      previous: button("previous", () => this.goTo(this.#at - 1)),
      play: button("play", () => this.toggle()),
      next: button("next", () => this.goTo(this.#at + 1)),
      last: button("last", () => this.goTo(this.#last)),
    };
    this.#slider = element("input", { type: "range", min: 0, step: 1, testId: `${prefix}-${slider}` });
    this.#slider.oninput = () => this.goTo(this.#slider.valueAsNumber);
    const segments = element("div", { className: "segments" }, ...Object.values(this.#buttons));
    this.element = element("div", { className: "stepper" }, this.#name, segments, this.#slider);
  }

  get isPlaying(): boolean {
    return this.#timer !== null;
  }

  // `name`: of the slider; `labels`: those of the buttons, by their names, and "pause".
  setLabels(name: string, labels: Labels): void {
    this.#labels = labels;
    this.#name.textContent = name;
    this.#slider.setAttribute("aria-label", name);
    for (const jump of JUMPS) setFace(this.#buttons[jump], jump, labels[jump], false);
    this.#setPlayFace();
  }

  // `text`: the place in words.
  update(at: number, last: number, text: string): void {
    this.#at = at;
    this.#last = last;
    if (this.#slider.max !== String(last)) this.#slider.max = String(last); // setting it lays out the page
    if (this.#slider.valueAsNumber !== at) this.#slider.valueAsNumber = at;
    this.#slider.setAttribute("aria-valuetext", text);
    const { first, previous, play, next } = this.#buttons;
    first.disabled = previous.disabled = at === 0;
    next.disabled = this.#buttons.last.disabled = at === last;
    play.disabled = last === 0;
  }

  goTo(at: number): void {
    this.stop();
    this.#events.onMove(at);
  }

  toggle(): void {
    if (this.#timer) this.stop();
    else this.play();
  }

  play(): void {
    if (this.#at === this.#last) this.#events.onMove(0);
    this.#timer = setInterval(() => {
      this.#events.onMove(this.#at + 1);
      if (this.#at === this.#last) this.stop();
    }, this.#beat);
    this.#setPlayFace();
    this.#events.onPlay(true);
  }

  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#setPlayFace();
    this.#events.onPlay(false);
  }

  // Stops without telling anybody.
  remove(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #setPlayFace(): void {
    const name = this.#timer ? "pause" : "play";
    setFace(this.#buttons.play, name, this.#labels[name], false);
  }
}
