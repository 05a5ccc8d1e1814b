// The scene above a page: where one is, the question, the way on. It moves at once, and the page follows.

import { classroom, hearClassroom, showCode } from "../kit/classroom.ts";
import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels, setFace } from "../kit/dom.ts";
import { addressOf, follow, go, lectureAddress } from "../kit/go.ts";
import { lookOf } from "../kit/look.ts";
import { hearReadings, readingOf } from "../kit/reading.ts";
import { chooseScheme, hearRuns } from "../kit/streamlit.ts";
import { lightScene } from "../kit/term_highlight.ts";
import type { ViewState } from "../kit/view_state.ts";
import { SCENE, speak } from "../kit/voice.ts";
import { areControlsShown, setStage, showControls } from "../kit/window.ts";
import { Channel, type Message } from "./channel.ts";
import { Explained } from "./explained.ts";
import { type Act, actOf } from "./keys.ts";
import {
  fillFrom,
  inThisLanguage,
  isViewOf,
  keepPlace,
  type Lecture,
  OURS,
  placeAddress,
  placeText,
  type View,
  withClosing,
} from "./lecture.ts";
import { hearRest, isRestShown, nextStep, type Step } from "./next.ts";
import { isPresenting, mayPresent, showNow, withPresent } from "./presenting.ts";

const FIRST = { capture: true };
const TOUCHES = ["pointerdown", "keydown"];
const LONG = 130; // letters of a sentence that has two lines

export class SceneBar implements Panel<Lecture> {
  readonly #root = element("section", { className: "scene" });
  readonly #explained = new Explained();
  readonly #view = element("div", { className: "view" }, this.#root, this.#explained.element);
  readonly #previous = element("button", { type: "button", testId: "scene-previous" });
  readonly #next = element("button", { type: "button", testId: "scene-next" });
  readonly #place = element("span", { className: "place", testId: "scene-place" });
  readonly #title = element("h2", { testId: "scene-title" });
  readonly #asks = element("span"); // the line around it centres what it has
  readonly #question = element("p", { testId: "scene-question" }, this.#asks);
  readonly #says = element("p", { className: "says", testId: "scene-says" });
  readonly #free = element("a", { testId: "scene-free" });
  readonly #path = element("a", { testId: "scene-path" });
  readonly #present = element("button", { type: "button", testId: "scene-present" });
  readonly #notes = element("button", { type: "button", testId: "scene-notes" });
  readonly #black = element("div", { className: "vt-black", hidden: true });
  readonly #state: ViewState<View>;
  readonly #stops: readonly (() => void)[];
  #channel: Channel | null = null;
  #lecture: Lecture | null = null;
  #labels: Labels = {};
  #shown = ""; // the question, as it was sent
  #at = 0; // the place that is shown
  #isAnswered = false; // one has gone on from the question of a scene that has no answer sheet
  #untouched: string | null = null; // the address that the place had when somebody first touched it
  #asked: number | null = null; // the place that Python has not answered yet: one may be faster than it

  constructor(parent: HTMLElement, state: ViewState<View>) {
    this.#state = state;
    const { button } = this.#explained;
    const ways = element("nav", { className: "ways" }, button, this.#path, this.#free, this.#present, this.#notes);
    const moves = element("span", { className: "moves" }, this.#previous, this.#place, this.#next);
    const words = element("div", { className: "words" }, this.#title, this.#question, this.#says);
    this.#root.append(moves, words, ways);
    parent.append(this.#view);
    document.body.append(this.#black);
    this.#previous.onclick = () => this.#act("previous");
    this.#next.onclick = () => this.#act("next");
    this.#present.onclick = () => this.#act("present");
    this.#notes.onclick = () => this.#act("notes");
    this.#black.onclick = () => this.#act("black");
    for (const link of [this.#free, this.#path]) link.onclick = follow;
    const stopClassroom = hearClassroom(() => {
      this.#showPlace();
      this.#keepInLink();
    });
    const show = this.#showSentence;
    this.#stops = [stopClassroom, hearReadings(show), hearRuns(show), hearRest(show)];
    globalThis.navigation?.addEventListener("currententrychange", show);
    window.addEventListener("popstate", this.#onHistory);
    for (const act of TOUCHES) document.addEventListener(act, this.#onTouch, FIRST);
    document.addEventListener("keydown", this.#onKey, FIRST); // before the pictures, which know the arrows, too
  }

  show(lecture: Lecture, labels: Labels, moved: boolean): void {
    if (lecture.lecture !== this.#lecture?.lecture) {
      this.#channel?.close();
      this.#channel = new Channel(lecture.lecture, (message) => this.#hear(message));
    }
    this.#lecture = withClosing(lecture);
    this.#labels = labels;
    if (moved && this.#asked === null) this.#goTo(this.#state.view.at);
    if (this.#asked === this.#state.view.at) this.#asked = null;
    this.#showPlace();
    this.#keepInLink();
  }

  remove(): void {
    window.removeEventListener("popstate", this.#onHistory);
    globalThis.navigation?.removeEventListener("currententrychange", this.#showSentence);
    for (const act of TOUCHES) document.removeEventListener(act, this.#onTouch, FIRST);
    document.removeEventListener("keydown", this.#onKey, FIRST);
    this.#channel?.close();
    for (const stop of this.#stops) stop();
    lightScene([]);
    setStage(isPresenting());
    showControls(false);
    this.#black.remove();
    this.#view.remove();
  }

  #showPlace(): void {
    const lecture = this.#lecture;
    const labels = this.#labels;
    const at = this.#at;
    const place = lecture?.places[at];
    if (!lecture || !place) return;
    const { title } = lecture.scenes[place.scene];
    this.#root.setAttribute("aria-label", labels.scene);
    this.#root.setAttribute("aria-busy", String(this.#asked !== null)); // the page below is still that of the place before
    this.#root.classList.toggle("presenting", isPresenting());
    setStage(isPresenting());
    const by = isPresenting() ? "_key" : ""; // elsewhere Page Down is the browser's
    setFace(this.#previous, "previous", labels[`previous${by}`], false);
    setFace(this.#next, "next", labels[`next${by}`], false);
    this.#previous.disabled = at === 0;
    this.#place.textContent = placeText(lecture, place, labels);
    this.#title.textContent = title;
    this.#showSentence();
    this.#free.textContent = labels.free;
    this.#free.href = freeOf(addressOf(place.href));
    this.#path.textContent = labels.path;
    this.#path.href = lectureAddress(lecture.lecture);
    setKeyed(this.#present, "p", labels[`present${by}`], labels);
    setKeyed(this.#notes, "n", labels.notes, labels);
    this.#present.hidden = this.#notes.hidden = !mayPresent();
    lightScene(lecture.scenes[place.scene].light);
    keepPlace(lecture, at);
  }

  #goTo(at: number): void {
    const { places } = this.#lecture ?? { places: [] };
    if (places[at]?.scene !== places[this.#at]?.scene) this.#explained.close();
    this.#at = at;
    this.#isAnswered = false;
    this.#untouched = null;
  }

  // The question, and what the scene says of it once it is answered; from the last row one of them is seen. A scene that
  // says nothing leaves it to its picture, and so does one whose view somebody has changed: its sentence is of another.
  readonly #showSentence = (): void => {
    const place = this.#lecture?.places[this.#at];
    if (!this.#lecture || !place) return;
    const isOnStage = isPresenting();
    const isAnswered = this.#isAnswered || place.step > 0 || (place.ask !== undefined && isRestShown(place.ask));
    const reading = readingOf(new URL(addressOf(place.href)).searchParams.get("picture") ?? "");
    const { href } = location;
    const isChanged = !isViewOf(place, this.#untouched ?? href, href);
    const own = isChanged ? "" : place.says.replaceAll("{reads}", reading).trim();
    const says = isAnswered ? own || (isOnStage ? reading : "") : "";
    const { question } = this.#lecture.scenes[place.scene];
    const shown = `${isOnStage} ${question}`;
    if (shown !== this.#shown) {
      fillFrom(this.#lecture, this.#asks, question); // else a term may have the focus
      if (isOnStage) this.#asks.replaceChildren(this.#asks.textContent); // nobody in the last row taps a term
    }
    this.#shown = shown;
    if (this.#says.textContent !== says) this.#says.textContent = says;
    this.#says.hidden = says === "";
    speak(this.#says, SCENE);
    this.#question.hidden = isOnStage && says !== "";
    const isAlone = !isOnStage && !isChanged && mayPresent();
    this.#explained.show(this.#lecture, this.#lecture.scenes[place.scene], this.#labels, isAlone, isAnswered);
    for (const line of [this.#question, this.#says]) line.classList.toggle("long", lengthOf(line.textContent) > LONG);
    this.#tell();
  };

  // What the window of the notes says of this one; a class that follows in another window of the browser tells nothing.
  #tell(): void {
    if (!mayPresent()) return;
    const room = classroom();
    const { answered, members } = room?.question?.open ? room : { answered: 0, members: 0 };
    const { textContent: shows } = this.#says.hidden ? this.#question : this.#says;
    const does = this.#asked === null ? (this.#step()?.does ?? "place") : "";
    this.#channel?.say({ at: this.#at, shows, does, began: Number(showNow()) || 0, answered, members });
  }

  // The question is about the scene's texts in the reader's language: those are opened. And who follows presents nothing,
  // whatever the link says with which they came.
  #keepInLink(): void {
    const place = this.#lecture?.places[this.#at];
    if (!place || this.#asked !== null) return;
    const inLanguage = inThisLanguage(place, location.href);
    const address = mayPresent() ? inLanguage : withPresent(inLanguage, false);
    if (address !== location.href) go(address, true);
  }

  #move(by: 1 | -1): void {
    const lecture = this.#lecture;
    const place = lecture?.places[this.#at + by];
    if (!lecture) return;
    const step = by > 0 ? this.#step() : null;
    if (step) {
      step.take();
      return;
    }
    if (!place) {
      if (by > 0) go(this.#path.href); // after the last scene comes the path, to see where one has been
      return;
    }
    this.#goTo(this.#at + by);
    showControls(false);
    this.#asked = this.#at;
    this.#showPlace();
    go(placeAddress(lecture, place));
  }

  // The step before the next place: whoever shows the page may have one, and a scene says its sentence before one goes on.
  #step(): Step | null {
    // There is none while the page changes: what is on it still belongs to the place before.
    if (this.#asked !== null || !isPresenting()) return null;
    const isSaid = this.#isAnswered || !this.#says.hidden || !this.#lecture?.places[this.#at]?.says;
    return nextStep() ?? (isSaid ? null : { does: "sentence", take: () => this.#answer() });
  }

  #answer(): void {
    this.#isAnswered = true;
    this.#showSentence();
  }

  #act(act: Act): void {
    if ((act === "present" || act === "notes") && !mayPresent()) return;
    if (act === "next") this.#move(1);
    else if (act === "previous") this.#move(-1);
    else if (act === "black") this.#black.hidden = !this.#black.hidden;
    else if (act === "present" && areControlsShown()) showControls(false);
    else if (act === "present") go(withPresent(location.href, !isPresenting()), true);
    else if (act === "code") showCode();
    else if (act === "full") fillScreen();
    else if (act === "controls") showControls(!areControlsShown());
    else if (act === "scheme") chooseScheme(lookOf(this.#root).isDark ? "Light" : "Dark");
    else this.#openNotes();
  }

  #openNotes(): void {
    const place = this.#lecture?.places[this.#at];
    if (!this.#lecture || !place) return;
    const scene = new URL(addressOf(place.href)).searchParams.get("scene") ?? "";
    const address = withPresent(lectureAddress(this.#lecture.lecture, { notes: "1", scene }), false);
    window.open(address, `viz notes ${this.#lecture.lecture.slice(0, 40)}`, "popup,width=720,height=640");
  }

  #hear(message: Message): void {
    if ("by" in message) this.#move(message.by);
    else if ("asks" in message) this.#tell();
  }

  // Back and Forward: Python says where that is. What the app itself opens is asked for already.
  readonly #onHistory = ({ isTrusted }: Event): void => {
    if (isTrusted) this.#asked = null;
  };

  readonly #onTouch = (): void => {
    if (this.#asked === null) this.#untouched ??= location.href;
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const act = actOf(event, isPresenting());
    if (act === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.repeat) return; // a key that is held down counts once
    if (!this.#black.hidden)
      this.#act("black"); // any key of ours brings the picture back
    else this.#act(act);
  };
}

// The whole page, or no more; a browser may refuse.
function fillScreen(): void {
  const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
  done.catch(() => {});
}

function setKeyed(button: HTMLButtonElement, key: string, label: string, labels: Labels): void {
  button.textContent = label;
  button.title = fillText(labels.key, { key });
}

// In letters of a Latin script: a Chinese character is as wide as two.
const lengthOf = (text: string): number =>
  Array.from(text, (sign): number => (sign > "\u2e7f" ? 2 : 1)).reduce((sum, one) => sum + one, 0);

// The address of the same view outside of the lecture.
function freeOf(address: string): string {
  const url = new URL(address);
  for (const name of OURS) url.searchParams.delete(name);
  return url.href;
}
