// The keys of a lecture. A presenter's remote sends Page Down and Page Up; while one presents, they and the arrows
// belong to the lecture, whatever has the focus.

import { isFree } from "../kit/keys.ts";

export type Act = "next" | "previous" | "present" | "notes" | "black";

const MOVES: Readonly<Record<string, Act>> = {
  PageDown: "next",
  ArrowRight: "next",
  ArrowDown: "next",
  PageUp: "previous",
  ArrowLeft: "previous",
  ArrowUp: "previous",
};
const LETTERS: Readonly<Record<string, Act>> = { p: "present", n: "notes" };
const SHOWN: Readonly<Record<string, Act>> = { Enter: "next", b: "black", ".": "black", Escape: "present" };

export function actOf(event: KeyboardEvent, isPresenting: boolean): Act | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isPresenting && Object.hasOwn(MOVES, event.key)) return MOVES[event.key] ?? null;
  if (!isFree(event)) return null;
  if (isPresenting && Object.hasOwn(SHOWN, event.key)) return SHOWN[event.key] ?? null;
  return LETTERS[event.key] ?? null;
}
