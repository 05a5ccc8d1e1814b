// A lecture as a path: its scenes in order, each a link, and where this browser was last.

import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { addressOf, link } from "../kit/go.ts";
import { mine } from "../share/mine.ts";
import { lastPlace, type Place, placeAddress } from "./lecture.ts";
import { Own, type Shown } from "./own.ts";
import { beginShow, withPresent } from "./presenting.ts";
import { drawTranslation, type Translation } from "./translation.ts";

export type Path = Shown & Partial<Translation>; // without a translation in one's own, or where no model can be read

export class PathPanel implements Panel<Path> {
  readonly #path = element("div", { className: "lecture-path" });
  readonly #view = element("div", { className: "view" }, this.#path);
  readonly #own = new Own();
  #shown = ""; // all that is drawn

  constructor(parent: HTMLElement) {
    parent.append(this.#view);
  }

  // Another run may send the same again: a button that is pressed meanwhile stays.
  show(lecture: Path, labels: Labels): void {
    this.#own.keepAlong(lecture);
    const shown = JSON.stringify([lecture, labels, lastPlace(lecture), mine(), this.#own.isKept, location.href]);
    if (shown !== this.#shown) this.#draw(lecture, labels);
    this.#shown = shown;
  }

  remove(): void {
    this.#view.remove();
  }

  #draw(lecture: Path, labels: Labels): void {
    const at = lastPlace(lecture);
    const last = at === null ? -1 : lecture.places[at].scene;
    const begin = lecture.places[at ?? 0];
    const label =
      last > 0 ? fillText(labels.go_on, { number: last + 1, title: lecture.scenes[last].title }) : labels.begin;
    const start = link(placeAddress(lecture, begin), "start", label);
    start.dataset.testid = "path-start";
    const presentFrom = (place: Place, label: string): HTMLAnchorElement =>
      link(withPresent(placeAddress(lecture, place), true), "present", label);
    const present = presentFrom(lecture.places[0], labels.present);
    present.addEventListener("click", beginShow);
    const resume = last > 0 ? [presentFrom(begin, fillText(labels.resume, { number: last + 1 }))] : [];
    const scenes = lecture.scenes.map(({ title, question }, n) => {
      const first = lecture.places.find(({ scene }) => scene === n) ?? begin;
      const card = link(placeAddress(lecture, first), "card");
      card.append(
        element("span", { className: "number", textContent: n + 1 }),
        element("b", { textContent: title }),
        element("span", { className: "question", textContent: question }),
      );
      if (n === last) card.append(element("span", { className: "mark", textContent: labels.here }));
      const item = element("li", { className: n < last ? "seen" : n === last ? "here" : "" }, card);
      if (n === last) card.setAttribute("aria-current", "step");
      return item;
    });
    const list = element("ol", { testId: "path" }, ...scenes);
    const starts = element(
      "p",
      { className: "starts" },
      start,
      present,
      ...resume,
      link(addressOf("overview"), "", labels.type),
      link(addressOf("training"), "", labels.watch),
      ...this.#own.ways(lecture, labels, () => this.show(lecture, labels)),
    );
    const way = element("div", { className: "way" }, starts, list);
    this.#path.replaceChildren(way, ...(hasTranslation(lecture) ? [drawTranslation(lecture, labels)] : []));
  }
}

function hasTranslation(path: Path): path is Shown & Translation {
  return path.weights !== undefined;
}
