// The lecturer's notes, in a window of their own that stays in step with the lecture, and can move it.

import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels, setFace } from "../kit/dom.ts";
import type { ViewState } from "../kit/view_state.ts";
import { secretOf } from "../room/kept.ts";
import { Channel, type Message } from "./channel.ts";
import { actOf } from "./keys.ts";
import { type Lecture, placeText, type View, withClosing } from "./lecture.ts";

const FIRST = { capture: true };

// Whether this window belongs to whoever leads the room that is in its link; in no room it is the reader's own.
function isLecturers(): boolean {
  const code = new URL(location.href).searchParams.get("room");
  return code === null || secretOf(code) !== null;
}

export class NotesPanel implements Panel<Lecture> {
  readonly #root = element("section", { className: "view lecture-notes" });
  readonly #previous = element("button", { type: "button", "data-testid": "notes-previous" });
  readonly #next = element("button", { type: "button", "data-testid": "notes-next" });
  readonly #place = element("span", { className: "place", "data-testid": "notes-place" });
  readonly #title = element("h2", { "data-testid": "notes-title" });
  readonly #question = element("p", { className: "question" });
  readonly #note = element("p", { className: "note", "data-testid": "notes-note" });
  readonly #coming = element("p", { className: "coming", "data-testid": "notes-coming" });
  readonly #follows = element("p", { className: "follows" });
  readonly #state: ViewState<View>;
  #channel: Channel | null = null;
  #lecture: Lecture | null = null;
  #labels: Labels = {};
  #at = 0;

  constructor(parent: HTMLElement, state: ViewState<View>) {
    this.#state = state;
    const moves = element("p", { className: "moves" }, this.#previous, this.#place, this.#next);
    this.#root.append(moves, this.#title, this.#question, this.#note, this.#coming, this.#follows);
    parent.append(this.#root);
    this.#previous.onclick = () => this.#channel?.say({ by: -1 });
    this.#next.onclick = () => this.#channel?.say({ by: 1 });
    document.addEventListener("keydown", this.#onKey, FIRST);
  }

  show(lecture: Lecture, labels: Labels, moved: boolean): void {
    this.#lecture = withClosing(lecture);
    this.#labels = labels;
    if (moved) this.#at = this.#state.view.at;
    this.#showPlace();
    if (this.#channel) return;
    this.#channel = new Channel(lecture.lecture, (message) => this.#hear(message));
    this.#channel.say({ asks: true });
  }

  remove(): void {
    document.removeEventListener("keydown", this.#onKey, FIRST);
    this.#channel?.close();
    this.#root.remove();
  }

  #showPlace(): void {
    const lecture = this.#lecture;
    const labels = this.#labels;
    const at = this.#at;
    const place = lecture?.places[at];
    if (!lecture || !place) return;
    const { title, question, note } = lecture.scenes[place.scene];
    const next = lecture.scenes[place.scene + 1];
    setFace(this.#previous, "previous", labels.previous, false);
    setFace(this.#next, "next", labels.next, false);
    this.#place.textContent = placeText(lecture, place, labels);
    this.#title.textContent = title;
    this.#question.textContent = question;
    this.#note.textContent = isLecturers() ? (note ?? "") : labels.not_yours;
    this.#coming.textContent = next ? fillText(labels.coming, { title: next.title }) : labels.last;
    this.#follows.textContent = labels.follows;
  }

  #hear(message: Message): void {
    if (!("at" in message) || !this.#lecture?.places[message.at]) return;
    this.#at = message.at;
    this.#showPlace();
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    const act = actOf(event, true);
    if (act !== "next" && act !== "previous") return;
    event.preventDefault();
    if (event.repeat) return;
    this.#channel?.say({ by: act === "next" ? 1 : -1 });
  };
}
