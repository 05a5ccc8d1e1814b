// The visitor's own lecture, packed: this browser keeps it, and nobody else.

import { store, stored } from "../kit/stored.ts";

const KEY = "viz my lecture";
const PACKED = /^z\.[\w-]+$/; // anything else there is none

export const isPacked = (lecture: string): boolean => PACKED.test(lecture);

export function mine(): string {
  const text = stored(KEY) ?? "";
  return isPacked(text) ? text : "";
}

// "": forgets it. -> whether the browser does
export function keepMine(lecture: string): boolean {
  return store(KEY, lecture || null);
}
