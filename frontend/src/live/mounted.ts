// A view of the app in the page of a live file, by the panels' own way into notebooks: see kit/standalone.ts.

import type { Labels } from "../kit/dom.ts";
import type { Alone, Model } from "../kit/standalone.ts";

export interface Said {
  readonly panel: string; // its name in src/panels.ts
  readonly labels: Labels;
  readonly language: string;
  readonly terms: Readonly<Record<string, string>>;
}

export class MountedView {
  readonly panel: string;
  readonly #values = new Map<string, unknown>();
  readonly #hearers = new Set<() => void>();
  readonly #stop: () => void;
  #revision = 0;

  // `settle` hears of the view in which a person comes to rest.
  constructor(
    alone: Alone,
    place: HTMLElement,
    said: Said,
    content: Uint8Array,
    view: object,
    settle: (view: object) => void,
  ) {
    this.panel = said.panel;
    this.#put(said, content, view);
    const model: Model = {
      get: (name) => this.#values.get(name),
      set: (_name, value) => {
        const { revision, ...settled } = value as { revision: string };
        if (revision === String(this.#revision)) settle(settled);
      },
      save_changes: () => {},
      on: (_event, hear) => this.#hearers.add(hear),
      off: (_event, hear) => this.#hearers.delete(hear),
    };
    this.#stop = alone.render({ model, el: place });
  }

  show(said: Said, content: Uint8Array, view: object): void {
    this.#put(said, content, view);
    for (const hear of this.#hearers) hear();
  }

  remove(): void {
    this.#stop();
  }

  #put({ panel, labels, language, terms }: Said, content: Uint8Array, view: object): void {
    const revision = String(++this.#revision);
    this.#values.set("request", { key: panel, panel, revision, view, language, labels });
    this.#values.set("content", content);
    this.#values.set("terms", terms);
    this.#values.set("theme", document.documentElement.dataset.theme ?? "");
  }
}
