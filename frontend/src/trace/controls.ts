// The bar above the matrices: which layer, which head, which step.

import { Choice, numbers } from "../kit/choice.ts";
import { element, fillNodes, fillText, type Labels } from "../kit/dom.ts";
import { Stepper } from "../kit/stepper.ts";

const BEAT = 900; // milliseconds per step while playing

export interface Place {
  readonly layer: number;
  readonly head: number;
  readonly step: number;
}

// What the controls know of a trace.
export interface Steps {
  readonly layers: number;
  readonly heads: number;
  readonly read: readonly string[]; // by the decoder, step by step
  readonly predicted: readonly string[];
  readonly ended: number | null; // the step with which the output ended, where steps follow it
}

export class Controls {
  readonly element: HTMLElement;
  readonly #layers: Choice;
  readonly #heads: Choice;
  readonly #stepper: Stepper;
  readonly #stepText = element("p", { className: "step-text", testId: "tv-step-text" });
  #labels: Labels = {};

  constructor(events: { onChange(change: Partial<Place>): void; onPlay(isPlaying: boolean): void }) {
    this.#layers = new Choice("tv", "layer", (layer) => events.onChange({ layer }));
    this.#heads = new Choice("tv", "head", (head) => events.onChange({ head }));
    this.#stepper = new Stepper("tv", "step", BEAT, {
      onMove: (step) => events.onChange({ step }),
      onPlay: (isPlaying) => events.onPlay(isPlaying),
    });
    const choices = element("div", { className: "choices" }, this.#layers.element, this.#heads.element);
    this.element = element("div", { className: "controls" }, choices, this.#stepper.element, this.#stepText);
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#layers.setLabels(labels.layer, "");
    this.#heads.setLabels(labels.head, labels.head_keys);
    this.#stepper.setLabels(labels.step, labels);
  }

  update({ layers, heads, read, predicted, ended }: Steps, { layer, head, step }: Place): void {
    this.#layers.update(numbers(layers), layer);
    this.#heads.update(numbers(heads), head);
    const words = {
      step: step + 1,
      steps: read.length,
      read: read[step],
      predicted: predicted[step],
      ended: ended ?? "",
    };
    const text = ended && step >= ended ? this.#labels.step_ended : this.#labels.step_text;
    this.#stepText.replaceChildren(...fillNodes(text, words));
    this.#stepper.update(step, read.length - 1, fillText(text, words));
  }

  goTo(step: number): void {
    this.#stepper.goTo(step);
  }

  toggle(): void {
    this.#stepper.toggle();
  }

  stop(): void {
    this.#stepper.stop();
  }

  // Stops without telling anybody.
  remove(): void {
    this.#stepper.remove();
  }
}
