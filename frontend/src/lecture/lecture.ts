// A lecture as Python sends it: all scenes in the reader's language, and the links of all places.

import { fillText, type Labels } from "../kit/dom.ts";
import { addressOf } from "../kit/go.ts";
import { store, stored } from "../kit/stored.ts";
import { isPacked } from "../share/mine.ts";

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

// How many places a scene has.
function stepsOf({ places }: Lecture, scene: number): number {
  return places.filter((place) => place.scene === scene).length;
}

// "3 of 12 · step 2 of 4"; a scene of one place has no steps.
export function placeText(lecture: Lecture, { scene, step }: Place, labels: Labels): string {
  const steps = stepsOf(lecture, scene);
  const said = fillText(labels.of, { number: scene + 1, count: lecture.scenes.length });
  return steps > 1 ? `${said} · ${fillText(labels.step, { number: step + 1, count: steps })}` : said;
}

// Where a place is. The lecture itself may be in its address.
export function placeAddress({ lecture }: Lecture, { href }: Place): string {
  const url = new URL(addressOf(href));
  url.searchParams.set("lecture", lecture);
  return url.href;
}

// Where a browser was last: kept there and told to nobody.
export function lastPlace({ lecture, places }: Lecture): number | null {
  const at = isPacked(lecture) ? lastOfOwn(lecture) : Number.parseInt(stored(keyOf(lecture)) ?? "", 10);
  return Number.isInteger(at) && at >= 0 && at < places.length ? at : null;
}

export function keepPlace({ lecture }: Lecture, at: number): void {
  if (isPacked(lecture)) store(keyOf(OWN), JSON.stringify({ lecture, at }));
  else store(keyOf(lecture), String(at)); // a browser that keeps nothing goes on without
}

// A packed lecture may be long, and another with every change: of them all, the browser remembers the last one's place.
const OWN = "own";
const keyOf = (name: string): string => `viz lecture ${name}`;

function lastOfOwn(lecture: string): number {
  try {
    const kept = JSON.parse(stored(keyOf(OWN)) ?? "null");
    return kept.lecture === lecture ? kept.at : Number.NaN;
  } catch {
    return Number.NaN; // nothing, or nothing of ours
  }
}
