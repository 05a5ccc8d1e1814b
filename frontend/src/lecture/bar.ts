// The scene above a page: where one is, the question, the way on. It moves at once, and the page follows.

import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels, setFace } from "../kit/dom.ts";
import { addressOf, go } from "../kit/go.ts";
import { lightScene } from "../kit/lit.ts";
import type { Settled } from "../kit/settled.ts";
import { Channel, type Said } from "./channel.ts";
import { type Act, actOf } from "./keys.ts";
import { keepPlace, type Lecture, placeAddress, stepsOf, type View } from "./lecture.ts";
import { mayGoOn } from "./next.ts";
import { isPresenting } from "./presenting.ts";

const FIRST = { capture: true };
const OURS = ["lecture", "scene", "present"]; // what a link of a lecture has beside its view's

export class SceneBar implements Panel<Lecture> {
  private readonly root = element("section", { className: "scene" });
  private readonly view = element("div", { className: "view" }, this.root);
  private readonly previous = element("button", { type: "button", "data-testid": "scene-previous" });
  private readonly next = element("button", { type: "button", "data-testid": "scene-next" });
  private readonly place = element("span", { className: "place", "data-testid": "scene-place" });
  private readonly title = element("h2", { "data-testid": "scene-title" });
  private readonly question = element("p", { "data-testid": "scene-question" });
  private readonly free = element("a", { "data-testid": "scene-free" });
  private readonly path = element("a", { "data-testid": "scene-path" });
  private readonly present = element("button", { type: "button", "data-testid": "scene-present" });
  private readonly notes = element("button", { type: "button", "data-testid": "scene-notes" });
  private readonly black = element("div", { className: "vt-black", hidden: true });
  private readonly settled: Settled<View>;
  private channel: Channel | null = null;
  private lecture: Lecture | null = null;
  private labels: Labels = {};
  private at = 0; // the place that is shown
  private asked: number | null = null; // the place that Python has not answered yet: one may be faster than it

  constructor(parent: HTMLElement, settled: Settled<View>) {
    this.settled = settled;
    const ways = element("nav", { className: "ways" }, this.path, this.free, this.present, this.notes);
    const moves = element("span", { className: "moves" }, this.previous, this.place, this.next);
    const words = element("div", { className: "words" }, this.title, this.question);
    this.root.append(moves, words, ways);
    parent.append(this.view);
    document.body.append(this.black);
    this.previous.onclick = () => this.act("previous");
    this.next.onclick = () => this.act("next");
    this.present.onclick = () => this.act("present");
    this.notes.onclick = () => this.act("notes");
    this.black.onclick = () => this.act("black");
    for (const link of [this.free, this.path]) link.onclick = follow;
    window.addEventListener("popstate", this.onHistory);
    document.addEventListener("keydown", this.onKey, FIRST); // before the pictures, which know the arrows, too
  }

  show(lecture: Lecture, labels: Labels, moved: boolean): void {
    if (lecture.lecture !== this.lecture?.lecture) {
      this.channel?.close();
      this.channel = new Channel(lecture.lecture, (said) => this.hear(said));
    }
    this.lecture = lecture;
    this.labels = labels;
    if (moved && this.asked === null) this.at = this.settled.view.at;
    if (this.asked === this.settled.view.at) this.asked = null;
    this.showPlace();
  }

  remove(): void {
    window.removeEventListener("popstate", this.onHistory);
    document.removeEventListener("keydown", this.onKey, FIRST);
    this.channel?.close();
    lightScene([]);
    this.black.remove();
    this.view.remove();
  }

  private showPlace(): void {
    const { lecture, labels, at } = this;
    const place = lecture?.places[at];
    if (!lecture || !place) return;
    const { title, question } = lecture.scenes[place.scene];
    const steps = stepsOf(lecture, place.scene);
    this.root.setAttribute("aria-label", labels.scene);
    this.root.classList.toggle("presenting", isPresenting());
    setFace(this.previous, "previous", labels.previous, false);
    setFace(this.next, "next", labels.next, false);
    this.previous.disabled = at === 0;
    const number = fillText(labels.of, { number: place.scene + 1, count: lecture.scenes.length });
    const step = steps > 1 ? ` · ${fillText(labels.step, { number: place.step + 1, count: steps })}` : "";
    this.place.textContent = number + step;
    this.title.textContent = title;
    this.question.textContent = question;
    this.free.textContent = labels.free;
    this.free.href = freeOf(addressOf(place.href));
    this.path.textContent = labels.path;
    this.path.href = addressOf(`?${new URLSearchParams({ lecture: lecture.lecture })}`);
    setKeyed(this.present, "p", labels.present, labels);
    setKeyed(this.notes, "n", labels.notes, labels);
    lightScene(lecture.scenes[place.scene].light);
    keepPlace(lecture, at);
    this.channel?.say({ at });
  }

  private move(by: 1 | -1): void {
    const { lecture } = this;
    const place = lecture?.places[this.at + by];
    if (!lecture || (by > 0 && isPresenting() && !mayGoOn())) return;
    if (!place) {
      if (by > 0) go(this.path.href); // after the last scene one sees where one has been
      return;
    }
    this.at += by;
    this.showPlace();
    go(placeAddress(lecture, place));
    this.asked = this.at;
  }

  private act(act: Act): void {
    if (act === "next") this.move(1);
    else if (act === "previous") this.move(-1);
    else if (act === "black") this.black.hidden = !this.black.hidden;
    else if (act === "present") go(withPresent(!isPresenting()));
    else this.openNotes();
  }

  private openNotes(): void {
    const place = this.lecture?.places[this.at];
    if (!this.lecture || !place) return;
    const scene = `${place.scene + 1}.${place.step + 1}`;
    const url = new URL(addressOf(`?${new URLSearchParams({ notes: "1", lecture: this.lecture.lecture, scene })}`));
    url.searchParams.delete("present");
    window.open(url.href, `viz notes ${this.lecture.lecture.slice(0, 40)}`, "popup,width=720,height=640");
  }

  private hear(said: Said): void {
    if ("by" in said) this.move(said.by);
    else if ("asks" in said) this.channel?.say({ at: this.at });
  }

  // Back and Forward: Python says where that is.
  private readonly onHistory = (): void => {
    this.asked = null;
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    const act = actOf(event, isPresenting());
    if (act === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!this.black.hidden)
      this.act("black"); // any key of ours brings the picture back
    else this.act(act);
  };
}

function setKeyed(button: HTMLButtonElement, key: string, label: string, labels: Labels): void {
  button.textContent = label;
  button.title = fillText(labels.key, { key });
}

function withPresent(isOn: boolean): string {
  const url = new URL(location.href);
  if (isOn) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  return url.href;
}

// The same view, of no lecture.
function freeOf(address: string): string {
  const url = new URL(address);
  for (const name of OURS) url.searchParams.delete(name);
  return url.href;
}

// A link that is clicked as people click; with a key held down the browser opens it elsewhere.
export function follow(event: MouseEvent): void {
  const link = event.currentTarget;
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  go(link.href);
}
