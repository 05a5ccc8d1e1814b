// The visitor's own lecture, packed: this browser keeps it, and nobody else.

import { store, stored } from "../kit/stored.ts";

const KEY = "viz my lecture";
const PACKED = /^z\.[\w-]+$/; // whatever else is stored is no lecture

export const isPacked = (lecture: string): boolean => PACKED.test(lecture);

export function mine(): string {
  const text = stored(KEY) ?? "";
  return isPacked(text) ? text : "";
}

// Keeps a lecture, or forgets it where it is "" -> whether the browser did.
export function keepMine(lecture: string): boolean {
  return store(KEY, lecture || null);
}
