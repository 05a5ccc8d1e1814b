// Predict, then reveal: an answer sheet in place of the page, which the server has hidden; revealed, both answers and the
// page. What was predicted stays in this browser; in a room, what is sent is counted, and the lecturer reveals it to all.

import { type Classroom, classroom, hearClassroom, type Kind, sayInRoom, type Truth } from "../kit/classroom.ts";
import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { isFree } from "../kit/keys.ts";
import { hasRight, PLACES, percent, scoreOf } from "../kit/score.ts";
import { store, stored } from "../kit/stored.ts";
import { numberOf } from "../kit/typed_number.ts";
import { isOnStage, PAGE, roomFor, windowHeight } from "../kit/window.ts";
import { actOf, isInBox } from "./keys.ts";
import { hideRest, offerStep } from "./next.ts";
import { CellsSheet } from "./predict_cells.ts";
import { ChoiceSheet } from "./predict_choice.ts";
import { CurveSheet } from "./predict_curve.ts";
import { NumberSheet } from "./predict_number.ts";
import type { Asked, Changed, Sheet } from "./predict_sheet.ts";
import { TokenSheet } from "./predict_token.ts";
import { isPresenting, showNow } from "./presenting.ts";

const ABOVE = 85; // px, of the task above a sheet and the legend below it
const BELOW = 125; // px, of what stands below, where it does not stand beside
const WIDE = 900; // px, see predict.css
const LONGEST = 300; // characters of a question's title in a room
const LONGEST_TRUTH = 40_000; // of what is true, so that it fits into a message to one
const AFTER = 0.38; // of the window's height, for both answers: the rest is the page's
const AFTER_CLASS = 0.5; // the same, where a class has answered
const TASK = 34; // px, of the task above a sheet that is presented
const WORDS = 230; // px, of what stands beside it

export class PredictPanel implements Panel<Asked> {
  readonly #parent: HTMLElement;
  readonly #task = element("p", { className: "task", testId: "predict-task", tabIndex: -1 });
  readonly #place = element("div", { className: "place-of-sheet" });
  readonly #score = element("p", { className: "score", testId: "predict-score", tabIndex: -1 });
  readonly #said = element("p", { className: "said", testId: "predict-said" });
  readonly #inRoom = element("p", { className: "said", testId: "predict-room", hidden: true });
  readonly #rule = element("p", { className: "rule", testId: "predict-rule" });
  readonly #revealing = element("button", {
    type: "submit",
    className: "primary",
    testId: "predict-reveal",
  });
  readonly #showing = element("button", { type: "button", testId: "predict-show" });
  readonly #again = element("button", { type: "button", testId: "predict-again" });
  readonly #root: HTMLFormElement;
  readonly #stops: readonly (() => void)[];
  #asked: Asked | null = null;
  #shown = ""; // all that the sheet was made of
  #labels: Labels = {};
  #sheet: Sheet | null = null;
  #isRevealed = false;
  #isScored = false; // there was a prediction when it was revealed
  #isOver = false; // one presents, and has gone on from the answer to the page
  #code: string | undefined = classroom()?.code; // of the room
  #sent: string | null = null; // to it, since the page was loaded
  #tallied = ""; // how the class answered, as shown

  constructor(parent: HTMLElement) {
    this.#parent = parent;
    const result = element("div", { role: "status" }, this.#score, this.#said, this.#inRoom);
    const actions = element("p", { className: "actions" }, this.#revealing, this.#showing, this.#again);
    const words = element("div", { className: "words" }, result, this.#rule, actions);
    this.#root = element("form", { className: "view predict", testId: "predict" }, this.#task, this.#place, words);
    parent.append(this.#root);
    this.#root.onsubmit = (event) => {
      event.preventDefault();
      if (this.#isRevealed || this.#revealing.disabled) return;
      if (this.#isMember()) this.#send();
      else this.#reveal(true);
    };
    this.#showing.onclick = () => {
      this.#sheet?.restore(null);
      this.#reveal(true);
    };
    this.#again.onclick = () => {
      this.#sheet?.restore(null);
      this.#reveal(false);
    };
    const stopOffering = offerStep(() => {
      if (this.#isMember() || !this.#sheet || !this.#root.isConnected) return null;
      if (!this.#isRevealed) return { does: "reveal", take: () => this.#reveal(true) };
      return this.#isOver || !isPresenting() ? null : { does: "picture", take: () => this.#goOn() };
    });
    document.addEventListener("keydown", this.#onKey, true);
    addEventListener("resize", this.#fit);
    // The scene above may be drawn later, or grow: then less room is left.
    const resizes = new ResizeObserver(this.#fit);
    const page = document.querySelector(PAGE);
    if (page) resizes.observe(page);
    this.#stops = [stopOffering, hearClassroom(() => this.#followRoom()), () => resizes.disconnect()];
  }

  show(asked: Asked, labels: Labels): void {
    const isSame = asked.id === this.#asked?.id;
    const kept = isSame ? this.#now() : keptOf(asked.id);
    this.#isOver &&= isSame;
    this.#labels = labels;
    this.#root.setAttribute("aria-label", labels.predict);
    this.#root.classList.toggle("presenting", isPresenting());
    this.#root.classList.toggle("cells", asked.kind === "cells");
    this.#asked = asked;
    this.#task.textContent = asked.task;
    this.#task.hidden = asked.kind === "choice" || asked.kind === "text"; // the scene's question says it already
    this.#rule.textContent = asked.rule;
    this.#revealing.textContent = labels.reveal;
    this.#showing.textContent = labels.show;
    this.#again.textContent = labels.again;
    const shown = JSON.stringify([asked, labels]);
    if (shown !== this.#shown) this.#sheet = this.#sheetOf(asked, kept.guess); // else one may be typing
    this.#shown = shown;
    this.#isRevealed = this.#isMember() ? this.#isRevealedToAll() : kept.isRevealed;
    this.#showAll();
    this.#askClass();
  }

  remove(): void {
    for (const stop of this.#stops) stop();
    if (classroom()?.part === "leads") sayInRoom({ ask: null });
    document.removeEventListener("keydown", this.#onKey, true);
    removeEventListener("resize", this.#fit);
    this.#root.remove();
  }

  #sheetOf(asked: Asked, guess: unknown): Sheet {
    const sheet = sheetOf(asked, this.#labels, () => this.#onChange());
    this.#sent = null;
    this.#tallied = "";
    this.#place.replaceChildren(sheet.element);
    sheet.restore(guess);
    return sheet;
  }

  // On the stage the answer has all the room, until one goes on to the page's picture.
  #goOn(): void {
    this.#isOver = true;
    this.#showAll();
  }

  #onChange(): void {
    this.#sent ??= ""; // from now on it is another answer than what was counted before the page was loaded
    this.#keep();
    this.#showWords();
  }

  #reveal(isRevealed: boolean): void {
    this.#isRevealed = isRevealed;
    this.#isOver = false;
    this.#keep();
    this.#showAll();
    if (isRevealed && this.#asked && classroom()?.part === "leads")
      sayInRoom({ reveal: { id: this.#asked.id, truth: this.#truth() } });
    else this.#askClass();
    // The button that had the focus is gone; another one would take the remote's Enter.
    if (isRevealed) (this.#isScored ? this.#score : this.#task).focus({ preventScroll: true });
  }

  // Whether one answers with a class. Students who explore do so, too, while the class is asked this question.
  #isMember(): boolean {
    const room = classroom();
    return room !== null && room.part !== "leads" && (room.part === "follows" || room.question?.id === this.#asked?.id);
  }

  #isRevealedToAll(): boolean {
    const question = classroom()?.question;
    return question?.id === this.#asked?.id && question?.open === false;
  }

  // Asks the class, from the lecturer's page; a question that is open already is not asked again.
  #askClass(): void {
    const asked = this.#asked;
    const room = classroom();
    if (!asked || room?.part !== "leads" || this.#isRevealed) return;
    if (room.question?.id === asked.id && room.question.open) return;
    const { id, task: title } = asked;
    const kind = kindInRoom(asked);
    const { columns, size } = shapeOf(asked);
    sayInRoom({ ask: { id, kind, size, columns, title: title.slice(0, LONGEST).toWellFormed() } });
  }

  #send(): void {
    const asked = this.#asked;
    const sheet = this.#sheet;
    const guess = sheet?.guess() ?? null;
    if (!asked || guess === null) return;
    this.#sent = JSON.stringify(guess);
    sayInRoom({ answer: { id: asked.id, guess: plain(asked, guess) } });
    this.#showWords();
  }

  // By which a room's answers are scored; null where no room would take it.
  #truth(): Truth | null {
    const truth = this.#sheet?.truth();
    return truth?.values.every(Number.isFinite) && JSON.stringify(truth).length <= LONGEST_TRUTH ? truth : null;
  }

  #followRoom(): void {
    const isRevealed = this.#isMember() ? this.#isRevealedToAll() : this.#isRevealed;
    const code = classroom()?.code;
    if (code !== this.#code) {
      this.#code = code; // what was predicted in a room stays there
      if (this.#asked) this.#restore(keptOf(this.#asked.id));
    } else if (isRevealed !== this.#isRevealed) {
      this.#isRevealed = isRevealed;
      this.#keep();
      this.#showAll();
    } else {
      this.#showTally();
      this.#showWords();
    }
    this.#askClass();
  }

  #restore({ guess, isRevealed }: Kept): void {
    this.#sheet?.restore(guess);
    this.#isRevealed = this.#isMember() ? this.#isRevealedToAll() : isRevealed;
    this.#showAll();
  }

  #keep(): void {
    // In a browser that stores nothing, the prediction lasts until the page is left.
    if (this.#asked) store(keyOf(this.#asked.id), JSON.stringify(this.#now()));
  }

  #now(): Kept {
    return { guess: this.#sheet?.guess() ?? null, isRevealed: this.#isRevealed };
  }

  #showAll(): void {
    const asked = this.#asked;
    const sheet = this.#sheet;
    const isRevealed = this.#isRevealed;
    if (!asked || !sheet) return;
    this.#root.classList.toggle("revealed", isRevealed);
    const truth = sheet.truth();
    this.#isScored = sheet.guess() !== null && truth !== null && hasRight(kindInRoom(asked), truth);
    sheet.reveal(isRevealed);
    this.#showTally();
    this.#showWords();
    this.#fit();
    this.#root.hidden = isPresenting() && this.#isOver;
    hideRest(this.#parent, asked.id, !isRevealed || (isPresenting() && !this.#isOver));
  }

  #showWords(): void {
    const labels = this.#labels;
    const asked = this.#asked;
    const sheet = this.#sheet;
    const isRevealed = this.#isRevealed;
    if (!asked || !sheet) return;
    const [room, isMember, guess] = [classroom(), this.#isMember(), sheet.guess()];
    const isSent = this.#sent === null ? room?.counted === asked.id : JSON.stringify(guess) === this.#sent;
    this.#revealing.hidden = isRevealed;
    this.#showing.hidden = isRevealed || isMember;
    this.#again.hidden = !isRevealed || isMember;
    this.#revealing.textContent = isMember ? labels.send : labels.reveal;
    this.#revealing.disabled = guess === null ? room?.part !== "leads" : isMember && isSent;
    this.#inRoom.textContent = room ? this.#roomWords(room, isMember, isSent) : "";
    this.#inRoom.hidden = this.#inRoom.textContent === "";
    this.#score.hidden = !isRevealed || !this.#isScored;
    const truth = sheet.truth();
    if (this.#isScored && truth) {
      const score = scoreOf(kindInRoom(asked), truth, plain(asked, guess));
      this.#score.textContent = fillText(labels.score, { score: percent(score) });
    }
    this.#said.textContent = sheet.said();
    this.#said.hidden = this.#said.textContent === "";
  }

  #roomWords(room: Classroom, isMember: boolean, isSent: boolean): string {
    const asked = this.#asked;
    const labels = this.#labels;
    if (this.#isRevealed) return room.question?.id === asked?.id && room.question?.unread ? labels.unread : "";
    if (room.part === "leads" && room.question?.id === asked?.id)
      return fillText(labels.answered, { count: room.answered, members: room.members });
    if (!isMember) return "";
    if (isSent && room.refused === asked?.id) return labels.not_taken;
    if (isSent) return room.counted === asked?.id ? labels.sent : labels.sending;
    return labels.waits;
  }

  // Called before `fit`, since the tally takes room.
  #showTally(): void {
    const tally = classroom()?.tally;
    const asked = this.#asked;
    const isOfThis = this.#isRevealed && asked && tally?.id === asked.id && tally.kind === kindInRoom(asked);
    const shown = isOfThis ? JSON.stringify(tally) : "";
    if (shown === this.#tallied) return;
    this.#tallied = shown;
    this.#sheet?.tally(isOfThis && tally ? tally : null);
    this.#fit();
  }

  readonly #fit = (): void => {
    const top = Math.max(0, this.#root.getBoundingClientRect().top);
    const width = this.#root.clientWidth;
    if (isOnStage()) {
      // Two matrices, what is true and what the class thought, have the words below them in place of the task above.
      const isTallied = this.#root.classList.toggle("tallied", this.#tallied !== "" && this.#asked?.kind === "cells");
      this.#sheet?.fit(isTallied ? width : width - WORDS, roomFor(0, 0, TASK));
      return;
    }
    const isBeside = innerWidth >= WIDE && (this.#isRevealed || this.#asked?.kind === "cells"); // the words
    const after = this.#tallied ? AFTER_CLASS : AFTER;
    const room = this.#isRevealed ? after * windowHeight() : windowHeight() - top - ABOVE - (isBeside ? 0 : BELOW);
    this.#sheet?.fit(isBeside ? 0.6 * width : width, room);
  };

  // Keeps keys from the part of the page that is hidden; those of the lecture go through.
  readonly #onKey = (event: KeyboardEvent): void => {
    if (this.#isRevealed || !this.#sheet || event.composedPath().includes(this.#root) || !isFree(event)) return;
    if (actOf(event, isPresenting()) !== null || isInBox(event)) return;
    event.stopImmediatePropagation();
  };
}

function sheetOf(asked: Asked, labels: Labels, changed: Changed): Sheet {
  if (asked.kind === "cells") return new CellsSheet(asked, labels, changed);
  if (asked.kind === "choice") return new ChoiceSheet(asked, labels, changed);
  if (asked.kind === "number") return new NumberSheet(asked, labels, changed);
  if (asked.kind === "curve") return new CurveSheet(asked, labels, changed);
  return new TokenSheet(asked, labels, changed);
}

// A prediction as it is scored and sent.
const plain = ({ kind }: Asked, guess: unknown): unknown => (kind === "number" ? numberOf(String(guess)) : guess);

// A room counts a choice as the cells of one row, and gathers a text as it does a token.
function kindInRoom({ kind }: Asked): Kind {
  if (kind === "choice") return "cells";
  return kind === "text" ? "token" : kind;
}

function shapeOf(asked: Asked): { readonly columns: number; readonly size: number } {
  if (asked.kind === "choice") return { columns: asked.options.length, size: asked.options.length };
  if (asked.kind === "cells") return { columns: asked.columns.length, size: asked.truth.values.length };
  return { columns: 0, size: asked.kind === "curve" ? PLACES : 1 };
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
    // As if nothing were stored.
  }
  return { guess: null, isRevealed: false };
}

// Kept apart for each room and show: what was tried before the class came is no answer there.
const keyOf = (id: string): string => ["viz predict", id, classroom()?.code, showNow()].filter(Boolean).join(" ");
