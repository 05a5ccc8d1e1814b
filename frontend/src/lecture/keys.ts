// The keys of a lecture. A presenter's remote sends Page Down and Page Up; while one presents, they belong to the lecture,
// whatever has the focus, and the arrows do, too, where nobody types or marks an answer with them.

import { isFree } from "../kit/keys.ts";

export type Act = "next" | "previous" | "present" | "notes" | "black" | "code" | "full" | "controls" | "scheme";

const PAGES: Readonly<Record<string, Act>> = { PageDown: "next", PageUp: "previous" };
const ARROWS: Readonly<Record<string, Act>> = {
  ArrowRight: "next",
  ArrowDown: "next",
  ArrowLeft: "previous",
  ArrowUp: "previous",
};
const LETTERS: Readonly<Record<string, Act>> = { p: "present", n: "notes" };
const SHOWN: Readonly<Record<string, Act>> = {
  Enter: "next",
  b: "black",
  ".": "black",
  q: "code",
  f: "full",
  c: "controls",
  d: "scheme",
  Escape: "present",
};
const HAS_ARROWS = "input, textarea, select, [contenteditable=true], .predict .sheet";
const BOX = "dialog[open]"; // what is below it hears no keys

export function actOf(event: KeyboardEvent, isPresenting: boolean): Act | null {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isInBox(event)) return null;
  if (isPresenting && Object.hasOwn(PAGES, event.key)) return PAGES[event.key];
  if (isPresenting && Object.hasOwn(ARROWS, event.key)) return isWithin(event, HAS_ARROWS) ? null : ARROWS[event.key];
  if (!isFree(event)) return null;
  if (isPresenting && Object.hasOwn(SHOWN, event.key)) return SHOWN[event.key];
  return LETTERS[event.key] ?? null;
}

export const isInBox = (event: KeyboardEvent): boolean => isWithin(event, BOX);

function isWithin(event: KeyboardEvent, selector: string): boolean {
  return event.composedPath().some((node) => node instanceof Element && node.matches(selector));
}
