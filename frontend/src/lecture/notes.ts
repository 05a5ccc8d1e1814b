// The lecturer's notes, in a window of their own that stays in step with the lecture, and can move it: what time it is,
// what the class sees, what comes next, and what to say.

import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels, setFace } from "../kit/dom.ts";
import type { ViewState } from "../kit/view_state.ts";
import { secretOf } from "../room/kept.ts";
import { Channel, type Message, type Now } from "./channel.ts";
import { actOf } from "./keys.ts";
import { type Lecture, type Place, placeText, stepText, type View, withClosing } from "./lecture.ts";

const FIRST = { capture: true };
const MINUTE = 60_000; // milliseconds
const LONGEST = 360; // minutes of a show: one that was begun before is over

// Whether this window belongs to whoever leads the room that is in its link; in no room it is the reader's own.
function isLecturers(): boolean {
  const code = new URL(location.href).searchParams.get("room");
  return code === null || secretOf(code) !== null;
}

export class NotesPanel implements Panel<Lecture> {
  readonly #previous = element("button", { type: "button", testId: "notes-previous" });
  readonly #next = element("button", { type: "button", testId: "notes-next" });
  readonly #time = element("p", { testId: "notes-time" });
  readonly #place = element("span", { className: "place", testId: "notes-place" });
  readonly #title = element("h2", { testId: "notes-title" });
  readonly #shows = element("p", { className: "shows" });
  readonly #does = element("b", { testId: "notes-does" });
  readonly #answered = element("p", { className: "answered" });
  readonly #note = element("dl", { className: "note", testId: "notes-note" });
  readonly #coming = element("b", { testId: "notes-coming" });
  readonly #ahead = element("p", { className: "ahead" });
  readonly #follows = element("p", { className: "follows" });
  readonly #root = element(
    "section",
    { className: "view lecture-notes" },
    element("div", { className: "moves" }, this.#previous, this.#place, this.#next, this.#time),
    element("div", {}, this.#title, this.#shows),
    element("div", { className: "scene" }, this.#does, this.#answered),
    this.#note,
    element("div", { className: "coming" }, this.#coming, this.#ahead),
    this.#follows,
  );
  readonly #state: ViewState<View>;
  readonly #clock = setInterval(() => this.#showTime(), 1000);
  #channel: Channel | null = null;
  #lecture: Lecture | null = null;
  #labels: Labels = {};
  // As the lecture's window says, once it does.
  #now: Now = { at: 0, shows: "", does: "place", began: 0, members: 0, answered: 0 };

  constructor(parent: HTMLElement, state: ViewState<View>) {
    this.#state = state;
    parent.append(this.#root);
    this.#previous.onclick = () => this.#channel?.say({ by: -1 });
    this.#next.onclick = () => this.#channel?.say({ by: 1 });
    document.addEventListener("keydown", this.#onKey, FIRST);
  }

  show(lecture: Lecture, labels: Labels, moved: boolean): void {
    this.#lecture = withClosing(lecture);
    this.#labels = labels;
    if (moved) this.#now = { ...this.#now, at: this.#state.view.at };
    this.#showPlace();
    if (this.#channel) return;
    this.#channel = new Channel(lecture.lecture, (message) => this.#hear(message));
    this.#channel.say({ asks: true });
  }

  remove(): void {
    clearInterval(this.#clock);
    document.removeEventListener("keydown", this.#onKey, FIRST);
    this.#channel?.close();
    this.#root.remove();
  }

  #showPlace(): void {
    const lecture = this.#lecture;
    const labels = this.#labels;
    const { at, shows, does, members, answered } = this.#now;
    const place = lecture?.places[at];
    if (!lecture || !place) return;
    const { title, question, note } = lecture.scenes[place.scene];
    setFace(this.#previous, "previous", labels.previous_key, false);
    setFace(this.#next, "next", labels.next_key, false);
    this.#place.textContent = placeText(lecture, place, labels);
    this.#title.textContent = title;
    this.#shows.textContent = shows || question;
    this.#answered.textContent = members ? fillText(labels.have_answered, { count: answered, members }) : "";
    this.#showNext(lecture, place, does);
    this.#showNote(isLecturers() ? (note ?? []) : [["", labels.not_yours]]);
    this.#follows.textContent = labels.follows;
    this.#showTime();
  }

  // What Page Down does, and the place that it leads to sooner or later.
  #showNext(lecture: Lecture, { scene }: Place, does: string): void {
    const labels = this.#labels;
    const next = lecture.places[this.#now.at + 1];
    const [title, ahead] = !next
      ? ["", ""]
      : next.scene === scene
        ? [stepText(lecture, next, labels), next.says.replaceAll("{reads}", "")] // it has not read anything yet
        : [lecture.scenes[next.scene].title, lecture.scenes[next.scene].question];
    const goesOn = next ? fillText(labels.coming, { title }) : labels.last;
    this.#does.textContent = does === "place" ? goesOn : labels[`does_${does}`];
    this.#coming.textContent = does === "place" || !next ? "" : fillText(labels.later, { title });
    this.#ahead.textContent = ahead;
  }

  #showNote(parts: NonNullable<Lecture["scenes"][number]["note"]>): void {
    this.#note.replaceChildren();
    for (const [textContent, text] of parts)
      this.#note.append(element("dt", { textContent, hidden: !textContent }), element("dd", { textContent: text }));
  }

  // The time of day, how much of the show's is used, and when this scene is planned.
  #showTime(): void {
    const labels = this.#labels;
    const { scenes, places } = this.#lecture ?? { scenes: [], places: [] };
    const planned = (until: number): number =>
      Number(
        scenes
          .slice(0, until)
          .reduce((sum, { minutes = 0 }) => sum + minutes, 0)
          .toFixed(1),
      );
    const scene = places[this.#now.at]?.scene ?? 0;
    const [from, to, all] = [scene, scene + 1, scenes.length].map(planned);
    const used = Math.floor((Date.now() - this.#now.began) / MINUTE);
    const said = [new Date().toTimeString().slice(0, 5)];
    if (used >= 0 && used < LONGEST) said.push(fillText(all ? labels.used_of : labels.used, { used, all }));
    if (to > from) said.push(fillText(labels.planned, { from, to }));
    this.#time.textContent = said.join(" · ");
  }

  #hear(message: Message): void {
    if (!("at" in message) || !Number.isInteger(message.at) || !this.#lecture?.places[message.at]) return;
    this.#now = message;
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
