// A lecture as Python sends it: all scenes in the reader's language, and the links of all places.

import { addressOf } from "../kit/go.ts";

export interface Scene {
  readonly title: string;
  readonly question: string;
  readonly note: string; // for the lecturer
  readonly light: readonly string[]; // the terms to look at
}
export interface Place {
  readonly scene: number;
  readonly step: number;
  readonly href: string; // without the lecture's name
}
export interface Lecture {
  readonly lecture: string; // its name in links
  readonly title: string;
  readonly scenes: readonly Scene[];
  readonly places: readonly Place[];
}
export interface View {
  readonly at: number; // of the places
}

// The last place of a scene's steps, by its number.
export function stepsOf({ places }: Lecture, scene: number): number {
  return places.filter((place) => place.scene === scene).length;
}

// Where a place is. The lecture itself may be in its address.
export function placeAddress({ lecture }: Lecture, { href }: Place): string {
  const url = new URL(addressOf(href));
  url.searchParams.set("lecture", lecture);
  return url.href;
}

// Where a browser was last: kept there and told to nobody. A browser may keep nothing.
export function lastPlace({ lecture, places }: Lecture): number | null {
  try {
    const at = Number.parseInt(localStorage.getItem(keyOf(lecture)) ?? "", 10);
    return at >= 0 && at < places.length ? at : null;
  } catch {
    return null;
  }
}

export function keepPlace({ lecture }: Lecture, at: number): void {
  try {
    localStorage.setItem(keyOf(lecture), String(at));
  } catch {
    // The lecture goes on without.
  }
}

const keyOf = (lecture: string): string => `viz lecture ${lecture}`;
