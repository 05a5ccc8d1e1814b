// A menu that saves what a view shows: as a PNG, as an SVG, as a picture to paste, and its numbers for a spreadsheet.

import { type CsvCell, csvOf } from "./csv.ts";
import { element, type Labels, setFace } from "./dom.ts";
import { saveBlob } from "./export.ts";
import { pictureOf, pngOf, svgOf } from "./picture.ts";

// What there is to save.
export interface Saved {
  readonly name: string; // of the files, without their endings
  readonly title: string; // of the picture
  readonly heading?: string; // above it; where it is not said, the title
  readonly legend?: readonly HTMLElement[]; // that the picture has and the element has not
  // Adds what only other parts of the page show, such as shared labels -> how to take that away again.
  readonly complete?: () => () => void;
  readonly rows?: () => readonly (readonly CsvCell[])[]; // of numbers, the names of their columns first
}

type Kind = "png" | "svg" | "copy" | "csv" | "html";
const KINDS: readonly Kind[] = ["png", "svg", "copy", "csv", "html"];
// Bubbles from a menu to the component, which knows all that it shows; its detail is what is saved.
export const SAVES_HTML = "vt-saves-html";
const SAID = 2000; // milliseconds that the button says how it went
const EDGE = 4; // pixels between the menu and the window's edge

export class SaveMenu {
  readonly button: HTMLButtonElement;
  readonly element: HTMLElement;
  readonly #root: HTMLElement;
  readonly #saved: () => Saved | null;
  readonly #menu: HTMLElement;
  readonly #items: readonly (readonly [Kind, HTMLButtonElement])[];
  #labels: Labels = {};

  // `root`: the element that is pictured; `saved`: null while it shows nothing; `id`: of its test ids.
  constructor(root: HTMLElement, saved: () => Saved | null, id: string) {
    this.#root = root;
    this.#saved = saved;
    this.#items = KINDS.map((kind) => {
      const onclick = () => void this.#choose(kind);
      return [kind, element("button", { type: "button", tabIndex: -1, onclick, testId: `${id}-${kind}` })];
    });
    this.#menu = element("div", { className: "save-menu" }, ...this.#items.map(([, item]) => item));
    this.#menu.setAttribute("popover", "auto"); // which a click elsewhere and Escape close
    this.#menu.setAttribute("role", "menu");
    for (const [, item] of this.#items) item.setAttribute("role", "menuitem");
    this.button = element("button", { type: "button", testId: id, onclick: () => this.#open() });
    this.button.setAttribute("aria-haspopup", "menu");
    this.element = element("span", { className: "save" }, this.button, this.#menu);
    this.#menu.onkeydown = (event) => this.#onKey(event);
  }

  setLabels(labels: Labels): void {
    if (labels.save !== this.#labels.save) setFace(this.button, "png", labels.save, true);
    for (const [kind, item] of this.#items) item.textContent = labels[`save_${kind}`];
    this.#menu.setAttribute("aria-label", labels.save);
    this.#labels = labels;
  }

  #open(): void {
    const saved = this.#saved();
    if (!saved) return;
    for (const [kind, item] of this.#items) {
      item.hidden = (kind === "csv" && !saved.rows) || !item.textContent;
    }
    this.#menu.showPopover();
    // Below the button, or above it where there is no room.
    const [{ left, top, bottom }, { width, height }] = [this.button, this.#menu].map((node) =>
      node.getBoundingClientRect(),
    );
    const isBelow = bottom + height + EDGE <= innerHeight;
    this.#menu.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
    this.#menu.style.top = `${isBelow ? bottom : Math.max(EDGE, top - height)}px`;
    this.#items[0][1].focus();
  }

  #close(): void {
    this.#menu.hidePopover();
    this.button.focus({ preventScroll: true });
  }

  async #choose(kind: Kind): Promise<void> {
    const saved = this.#saved();
    this.#close();
    if (!saved) return;
    try {
      if (kind === "csv")
        this.#save(new Blob([csvOf(saved.rows?.() ?? [])], { type: "text/csv;charset=utf-8" }), saved, kind);
      else if (kind === "html")
        this.element.dispatchEvent(new CustomEvent(SAVES_HTML, { bubbles: true, detail: saved }));
      else await this.#picture(kind, saved);
      if (kind === "copy") this.#say(this.#labels.copied);
    } catch (problem) {
      if (kind !== "copy") throw problem;
      this.#say(this.#labels.copy_failed);
    }
  }

  async #picture(kind: "png" | "svg" | "copy", saved: Saved): Promise<void> {
    const restore = saved.complete?.();
    const picture = pictureOf(this.#root, saved.heading ?? saved.title, saved.legend);
    restore?.();
    // The clipboard is given the promise: once the PNG is ready, the click that allows copying would be too long ago.
    if (kind === "copy") await navigator.clipboard.write([new ClipboardItem({ "image/png": pngOf(picture) })]);
    else this.#save(kind === "svg" ? svgOf(picture, saved.title) : await pngOf(picture), saved, kind);
  }

  #save(blob: Blob, { name }: Saved, ending: string): void {
    saveBlob(blob, `${name}.${ending}`);
  }

  #say(text: string): void {
    const face = this.button.lastChild;
    face?.replaceWith(text);
    setTimeout(() => this.button.lastChild?.replaceWith(this.#labels.save), SAID);
  }

  #onKey(event: KeyboardEvent): void {
    event.stopPropagation(); // none of these keys is for the view
    const shown = this.#items.map(([, item]) => item).filter((item) => !item.hidden);
    const at = shown.indexOf(event.target as HTMLButtonElement);
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % shown.length,
      ArrowUp: (at + shown.length - 1) % shown.length,
      Home: 0,
      End: shown.length - 1,
    };
    if (event.key === "Tab" || event.key === "Escape") this.#close(); // from the button Tab goes on
    if (!(event.key in targets)) return;
    event.preventDefault();
    shown[targets[event.key]].focus();
  }
}
