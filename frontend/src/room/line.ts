// The line at the bottom of the page while one is in a room: where one is, and what one can do. It stands in no component,
// since the header, in which the room's button is, goes away where a scene is presented.

import { element, fillText, type Labels } from "../kit/dom.ts";
import type { Mode } from "./state.ts";

const APP = ".stApp"; // which is light or dark
const MODES: Readonly<Record<Mode, true>> = { follow: true, pause: true, free: true };

export type Standing =
  | {
      readonly is: "leading";
      readonly mode: Mode;
      readonly members: number;
      readonly answered: number | null; // to the open question
      readonly unread: number | null; // answers that nobody sees yet
    }
  | { readonly is: "long"; readonly mode: Mode } // the lecturer's address is too long for a room
  | {
      readonly is:
        | "coming"
        | "following"
        | "exploring"
        | "paused"
        | "released"
        | "gone"
        | "removed"
        | "closed"
        | "full";
    }
  | { readonly is: "lost"; readonly leads: boolean };

export interface Acts {
  mode(mode: Mode): void;
  letGo(hasLetGo: boolean): void;
  open(): void; // the box
  leave(): void;
}

type Name = "code" | "read" | "follow" | "pause" | "free" | "explore" | "back" | "leave";

export class Line {
  readonly #element = element("div", { className: "vt-room", testId: "room", role: "region" });
  readonly #said = element("span", { role: "status", testId: "room-said" });
  readonly #buttons: Readonly<Record<Name, HTMLButtonElement>>;

  constructor(acts: Acts) {
    const button = (name: string, onclick: () => void) =>
      element("button", { type: "button", testId: `room-${name}`, onclick });
    this.#buttons = {
      code: button("code", () => acts.open()),
      read: button("read", () => acts.open()),
      follow: button("follow", () => acts.mode("follow")),
      pause: button("pause", () => acts.mode("pause")),
      free: button("free", () => acts.mode("free")),
      explore: button("explore", () => acts.letGo(true)),
      back: button("back", () => acts.letGo(false)),
      leave: button("leave", () => acts.leave()),
    };
    const { code, ...others } = this.#buttons;
    this.#element.append(code, this.#said, ...Object.values(others));
  }

  show(code: string, standing: Standing, labels: Labels): void {
    if (!this.#element.isConnected) (document.querySelector(APP) ?? document.body).append(this.#element);
    this.#element.ariaLabel = labels.room;
    this.#element.classList.toggle("away", ["coming", "exploring", "lost", "long"].includes(standing.is));
    this.#buttons.code.textContent = fillText(labels.code, { code });
    const said = textOf(standing, labels);
    if (this.#said.textContent !== said) this.#said.textContent = said; // a screen reader says it once
    const mode = "mode" in standing ? standing.mode : null;
    const shown: Record<Name, boolean> = {
      code: true,
      read: standing.is === "leading" && standing.unread !== null,
      follow: mode !== null,
      pause: mode !== null,
      free: mode !== null,
      explore: standing.is === "following",
      back: standing.is === "exploring",
      leave: mode === null && !(standing.is === "lost" && standing.leads),
    };
    for (const [name, isShown] of Object.entries(shown)) {
      const button = this.#buttons[name as Name];
      if (name !== "code") button.textContent = labels[`act_${name}`];
      button.title = labels[`hint_${name}`] ?? "";
      button.hidden = !isShown;
      if (mode !== null && name in MODES) button.setAttribute("aria-pressed", String(name === mode));
    }
  }

  remove(): void {
    this.#element.remove();
  }
}

function textOf(standing: Standing, labels: Labels): string {
  if (standing.is === "leading") {
    const { members, answered, unread } = standing;
    const said = [fillText(labels.here, { count: members })];
    if (answered !== null) said.push(fillText(labels.answered, { count: answered }));
    if (unread !== null) said.push(fillText(labels.unread, { count: unread }));
    return said.join(" · ");
  }
  return labels[standing.is];
}
