// Predict, then reveal: an answer sheet in place of the page, which the server has hidden; revealed, both answers and the
// page. What was predicted stays in this browser.

import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels, whenStyled } from "../kit/dom.ts";
import { isFree } from "../kit/keys.ts";
import { store, stored } from "../kit/stored.ts";
import { actOf } from "./keys.ts";
import { takeNext } from "./next.ts";
import { CellsSheet } from "./predict_cells.ts";
import { CurveSheet } from "./predict_curve.ts";
import { NumberSheet } from "./predict_number.ts";
import { percent } from "./predict_score.ts";
import type { Asked, Changed, Sheet } from "./predict_sheet.ts";
import { TokenSheet } from "./predict_token.ts";
import { isPresenting } from "./presenting.ts";

const ABOVE = 85; // px, of the task above a sheet and the legend below it
const BELOW = 125; // px, of what stands below, where it does not stand beside
const WIDE = 900; // px, see predict.css
const AFTER = 0.38; // of the window's height, for both answers: the rest is the page's

export class PredictPanel implements Panel<Asked> {
  private readonly parent: HTMLElement;
  private readonly task = element("p", { className: "task", "data-testid": "predict-task" });
  private readonly place = element("div", { className: "place-of-sheet" });
  private readonly score = element("p", { className: "score", "data-testid": "predict-score", tabIndex: -1 });
  private readonly said = element("p", { className: "said", "data-testid": "predict-said" });
  private readonly rule = element("p", { className: "rule", "data-testid": "predict-rule" });
  private readonly revealing = element("button", {
    type: "submit",
    className: "primary",
    "data-testid": "predict-reveal",
  });
  private readonly showing = element("button", { type: "button", "data-testid": "predict-show" });
  private readonly again = element("button", { type: "button", "data-testid": "predict-again" });
  private readonly root: HTMLFormElement;
  private readonly stopTaking: () => void;
  private asked: Asked | null = null;
  private shown = ""; // all that the sheet was made of
  private labels: Labels = {};
  private sheet: Sheet | null = null;
  private isRevealed = false;
  private isScored = false; // there was a prediction when it was revealed

  constructor(parent: HTMLElement) {
    this.parent = parent;
    const result = element("div", { role: "status" }, this.score, this.said);
    const actions = element("p", { className: "actions" }, this.revealing, this.showing, this.again);
    const words = element("div", { className: "words" }, result, this.rule, actions);
    this.root = element("form", { className: "view predict", "data-testid": "predict" }, this.task, this.place, words);
    parent.append(this.root);
    this.root.onsubmit = (event) => {
      event.preventDefault();
      if (!this.isRevealed && !this.revealing.disabled) this.reveal(true);
    };
    this.showing.onclick = () => {
      this.sheet?.restore(null);
      this.reveal(true);
    };
    this.again.onclick = () => {
      this.sheet?.restore(null);
      this.reveal(false);
    };
    this.stopTaking = takeNext(() => {
      if (this.isRevealed || !this.sheet || !this.root.isConnected) return false;
      this.reveal(true);
      return true;
    });
    document.addEventListener("keydown", this.onKey, true);
    addEventListener("resize", this.fit);
    whenStyled(parent, this.root, this.fit);
  }

  show(asked: Asked, labels: Labels): void {
    const kept = asked.id === this.asked?.id ? this.now() : keptOf(asked.id);
    this.labels = labels;
    this.root.setAttribute("aria-label", labels.predict);
    this.root.classList.toggle("presenting", isPresenting());
    this.root.classList.toggle("cells", asked.kind === "cells");
    this.asked = asked;
    this.task.textContent = asked.task;
    this.rule.textContent = asked.rule;
    this.revealing.textContent = labels.reveal;
    this.showing.textContent = labels.show;
    this.again.textContent = labels.again;
    const shown = JSON.stringify([asked, labels]);
    if (shown !== this.shown) this.sheet = this.sheetOf(asked, kept.guess); // else one may be typing
    this.shown = shown;
    this.isRevealed = kept.isRevealed;
    this.showAll();
  }

  remove(): void {
    this.stopTaking();
    document.removeEventListener("keydown", this.onKey, true);
    removeEventListener("resize", this.fit);
    this.root.remove();
  }

  private sheetOf(asked: Asked, guess: unknown): Sheet {
    const sheet = sheetOf(asked, this.labels, () => this.onChange());
    this.place.replaceChildren(sheet.element);
    sheet.restore(guess);
    return sheet;
  }

  private onChange(): void {
    this.keep();
    this.showWords();
  }

  private reveal(isRevealed: boolean): void {
    this.isRevealed = isRevealed;
    this.keep();
    this.showAll();
    if (isRevealed) this.score.focus({ preventScroll: true }); // the button that had the focus is gone
  }

  private keep(): void {
    // A browser that keeps nothing: it is there until the page is left.
    if (this.asked) store(keyOf(this.asked.id), JSON.stringify(this.now()));
  }

  private now(): Kept {
    return { guess: this.sheet?.guess() ?? null, isRevealed: this.isRevealed };
  }

  private showAll(): void {
    const { asked, sheet, isRevealed } = this;
    if (!asked || !sheet) return;
    this.root.classList.toggle("revealed", isRevealed);
    this.isScored = sheet.guess() !== null;
    sheet.reveal(isRevealed);
    this.showWords();
    this.fit();
    hideRest(this.parent, asked.id, !isRevealed);
  }

  private showWords(): void {
    const { labels, sheet, isRevealed } = this;
    if (!sheet) return;
    this.revealing.hidden = this.showing.hidden = isRevealed;
    this.again.hidden = !isRevealed;
    this.revealing.disabled = sheet.guess() === null;
    this.score.hidden = !isRevealed;
    if (isRevealed)
      this.score.textContent = this.isScored
        ? fillText(labels.score, { score: percent(sheet.score()) })
        : labels.unscored;
    this.said.textContent = sheet.said();
    this.said.hidden = this.said.textContent === "";
  }

  private readonly fit = (): void => {
    const top = Math.max(0, this.root.getBoundingClientRect().top);
    const width = this.root.clientWidth;
    const isBeside = innerWidth >= WIDE && (this.isRevealed || this.asked?.kind === "cells"); // the words
    const room = this.isRevealed ? AFTER * innerHeight : innerHeight - top - ABOVE - (isBeside ? 0 : BELOW);
    this.sheet?.fit(isBeside ? 0.6 * width : width, room);
  };

  // What is hidden hears no keys; the lecture does.
  private readonly onKey = (event: KeyboardEvent): void => {
    if (this.isRevealed || !this.sheet || event.composedPath().includes(this.root) || !isFree(event)) return;
    if (actOf(event, isPresenting()) !== null) return;
    event.stopImmediatePropagation();
  };
}

function sheetOf(asked: Asked, labels: Labels, changed: Changed): Sheet {
  if (asked.kind === "cells") return new CellsSheet(asked, labels, changed);
  if (asked.kind === "token") return new TokenSheet(asked, labels, changed);
  if (asked.kind === "number") return new NumberSheet(asked, labels, changed);
  return new CurveSheet(asked, labels, changed);
}

// The server's rule hides what comes after this component, until that names the question as revealed.
function hideRest(parent: HTMLElement, id: string, isHidden: boolean): void {
  const root = parent.getRootNode();
  const place = (root instanceof ShadowRoot ? root.host : parent).closest(".st-key-predict");
  if (isHidden) place?.removeAttribute("data-revealed");
  else place?.setAttribute("data-revealed", id);
}

interface Kept {
  readonly guess: unknown;
  readonly isRevealed: boolean;
}

function keptOf(id: string): Kept {
  try {
    const kept: unknown = JSON.parse(stored(keyOf(id)) ?? "null");
    if (typeof kept === "object" && kept !== null && "guess" in kept && "isRevealed" in kept)
      return { guess: kept.guess, isRevealed: kept.isRevealed === true };
  } catch {
    // As if nothing were.
  }
  return { guess: null, isRevealed: false };
}

const keyOf = (id: string): string => `viz predict ${id}`;
