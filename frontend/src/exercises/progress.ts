// What one has done stays in this browser: the exercises that are solved, which Python is told, and, for a file, the
// predictions and the places in lectures, too.

import { asking, textButton } from "../kit/asking.ts";
import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { saveBlob } from "../kit/export.ts";
import { listed, SOLVED, store, stored, storedKeys } from "../kit/stored.ts";
import type { ViewState } from "../kit/view_state.ts";

const OURS = /^viz (solved$|lecture |predict )/; // and not what is of rooms, or one's own lecture, which has its own file
const LARGEST = 5_000_000; // bytes of a file: no browser keeps more

export class ProgressPanel implements Panel<unknown> {
  readonly #state: ViewState<{ readonly solved: string }>;
  readonly #said = element("p", { role: "status", testId: "progress-said" });
  readonly #file = element("input", { type: "file", accept: ".json", hidden: true, testId: "progress-file" });
  readonly #root = element("div", { className: "view progress", testId: "progress" });
  #labels: Labels = {};

  constructor(parent: HTMLElement, state: ViewState<{ readonly solved: string }>) {
    this.#state = state;
    this.#file.onchange = () => void this.#open();
    parent.append(this.#root);
  }

  show(_content: unknown, labels: Labels): void {
    globalThis.addEventListener("storage", this.#onStorage); // in another tab
    if (labels !== this.#labels) this.#draw(labels);
    this.#tell(listed(stored(SOLVED)));
  }

  remove(): void {
    globalThis.removeEventListener("storage", this.#onStorage);
    this.#root.remove();
  }

  readonly #onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key !== SOLVED) return;
    if (newValue === null) this.#become("");
    else this.#tell(listed(newValue));
  };

  #draw(labels: Labels): void {
    this.#labels = labels;
    const forget = (): void => {
      for (const key of storedKeys().filter((one) => OURS.test(one))) store(key, null);
      this.#become("");
      this.#draw(labels);
    };
    this.#root.replaceChildren(
      element("p", { textContent: labels.stays }),
      element(
        "p",
        { className: "ways" },
        textButton(labels.save, "progress-save", () => this.#save()),
        textButton(labels.open, "progress-open", () => this.#file.click()),
        asking(labels.forget, labels.forget_really, "progress-forget", forget),
      ),
      this.#file,
      this.#said,
    );
  }

  // Keeps these and those that Python knows, and tells Python those that it does not.
  #tell(more: readonly string[]): void {
    const known = listed(this.#state.view.solved);
    const all = [...new Set([...known, ...more])];
    const isKept = !all.length || store(SOLVED, all.join());
    if (!isKept) this.#said.textContent = this.#labels.not_kept;
    if (all.length > known.length) this.#become(all.join());
  }

  #become(solved: string): void {
    this.#state.change({ solved });
    this.#state.commitIn(0);
  }

  #save(): void {
    const ours = storedKeys().filter((key) => OURS.test(key));
    const text = JSON.stringify(Object.fromEntries(ours.map((key) => [key, stored(key)])), null, 1);
    saveBlob(new Blob([text], { type: "application/json" }), "viz-transformer-progress.json");
  }

  async #open(): Promise<void> {
    const [file] = this.#file.files ?? [];
    if (!file) return;
    const found = file.size > LARGEST ? null : oursIn(await file.text());
    this.#file.value = ""; // so that the same file can be chosen again
    if (!found) {
      this.#said.textContent = fillText(this.#labels.not_ours, { name: file.name });
      return;
    }
    const others = found.filter(([key]) => key !== SOLVED);
    const solved = found.flatMap(([key, text]) => (key === SOLVED ? listed(text) : []));
    const isKept = others.every(([key, text]) => store(key, text));
    this.#said.textContent = isKept
      ? fillText(this.#labels.opened, { solved: solved.length, others: others.length })
      : this.#labels.not_kept;
    this.#tell(solved);
  }
}

// What a file holds of ours; null where it holds nothing of it.
function oursIn(text: string): [string, string][] | null {
  try {
    const entries = Object.entries(JSON.parse(text));
    const isOurs = (entry: [string, unknown]): entry is [string, string] =>
      OURS.test(entry[0]) && typeof entry[1] === "string";
    return entries.length && entries.every(isOurs) ? entries.filter(isOurs) : null;
  } catch {
    return null;
  }
}
