// What screen readers hear of a step: one sentence, the one that matters most, however many texts change with it.

import { element } from "./dom.ts";

export const HINT = 0; // is never said
export const TEXT = 1;
export const READING = 2; // what a picture shows
export const SCENE = 3; // what a lecture says about it
const FOCUSED = 4; // of the very figure that the keyboard moves in

const PAUSE = 300; // milliseconds without a change, after which a step is over

const texts = new WeakMap<HTMLElement, string>(); // what each element said last
const changed = new Map<HTMLElement, number>(); // in this step, and their ranks
let voice: HTMLElement | undefined;
let pause: ReturnType<typeof setTimeout> | undefined;

// To be called when the text of `element` may be another one. What a page begins with is not said: it is read with it.
export function speak(element: HTMLElement, rank: number): void {
  const text = element.textContent.trim();
  const before = texts.get(element);
  texts.set(element, text);
  if (before === undefined || before === text || !text || rank === HINT) return;
  changed.set(element, element.closest("figure")?.matches(":focus-within") ? FOCUSED : rank);
  clearTimeout(pause);
  pause = setTimeout(say, PAUSE);
}

function say(): void {
  if (!voice) {
    voice = element("p", { className: "visually-hidden", role: "status", testId: "voice" });
    document.body.append(voice);
  }
  const [first] = [...changed].filter(([one]) => one.checkVisibility()).sort(([, a], [, b]) => b - a);
  if (first) voice.textContent = texts.get(first[0]) ?? "";
  changed.clear();
}
