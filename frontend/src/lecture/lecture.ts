// A lecture as Python sends it: all scenes in the reader's language, and the links of all places.

import { fillText, type Labels } from "../kit/dom.ts";
import { addressOf, KEPT } from "../kit/go.ts";
import { store, stored } from "../kit/stored.ts";
import { fillWithTerms } from "../kit/term_highlight.ts";
import { isPacked } from "../share/mine.ts";

export interface Scene {
  readonly title: string;
  readonly question: string;
  // For the lecturer, in the window of the notes alone: the parts of the note, each with its heading or "", and how long
  // the scene is planned to take; 0: nobody has said.
  readonly note?: readonly (readonly [string, string])[];
  readonly minutes?: number;
  readonly light: readonly string[]; // the terms to look at
  readonly explained?: readonly (readonly [string, string])[]; // for who reads alone: its name, and the text
  readonly proof?: readonly [string, string] | null; // where it can be checked: what that is, and its link
  readonly exercises?: readonly (readonly [string, string])[]; // that go with it: name in links, title
}
export interface Place {
  readonly scene: number;
  readonly step: number;
  readonly href: string; // without the lecture's name
  readonly elsewhere: readonly string[]; // the same in other languages, where it is another view there
  readonly ask?: string; // the id of the question that its answer sheet asks
  readonly says: string; // the sentence that goes with it, once the scene's question is answered
}
export interface Lecture {
  readonly lecture: string; // its name in links
  readonly title: string;
  readonly scenes: readonly Scene[];
  readonly places: readonly Place[];
  readonly closing: string; // the title of what comes after the last scene; "": nothing does
}
export interface View {
  readonly at: number; // of the places
}

// How many places a scene has.
function stepsOf({ places }: Lecture, scene: number): number {
  return places.filter((place) => place.scene === scene).length;
}

// With one more scene for its closing.
export function withClosing(lecture: Lecture): Lecture {
  const { scenes, places, closing: title } = lecture;
  if (!title) return lecture;
  const href = "?scene=end&picture=closing";
  return {
    ...lecture,
    scenes: [...scenes, { title, question: "", light: [] }],
    places: [...places, { scene: scenes.length, step: 0, href, elsewhere: [], says: "" }],
  };
}

// Puts a text of the lecture into a node: with its terms marked, but as it is where a visitor wrote it.
export function fillFrom({ lecture }: Lecture, node: HTMLElement, text: string): void {
  if (isPacked(lecture)) node.textContent = text;
  else fillWithTerms(node, text);
}

// "3 of 12 · step 2 of 4"; a scene of one place has no steps, and the closing is none.
export function placeText(lecture: Lecture, { scene, step }: Place, labels: Labels): string {
  const count = lecture.scenes.length - Number(lecture.closing !== "");
  if (scene >= count) return "";
  const said = fillText(labels.of, { number: scene + 1, count });
  return stepsOf(lecture, scene) > 1 ? `${said} · ${stepText(lecture, { scene, step }, labels)}` : said;
}

// "step 2 of 4"
export function stepText(lecture: Lecture, { scene, step }: Pick<Place, "scene" | "step">, labels: Labels): string {
  return fillText(labels.step, { number: step + 1, count: stepsOf(lecture, scene) });
}

// The address of a place with its lecture, which is named there or packed.
export function placeAddress({ lecture }: Lecture, { href }: Place): string {
  const url = new URL(addressOf(href));
  url.searchParams.set("lecture", lecture);
  return url.href;
}

const TEXTS = ["model", "source", "target"];

// The address of a view of this place, for readers of this language. What it says exactly as the scene does in another
// language is replaced by what the scene says in this one. Texts that somebody typed stay, and so does all the rest.
export function inThisLanguage({ href, elsewhere }: Place, address: string): string {
  const url = new URL(address);
  const here = queryOf(href);
  const differs = (name: string, one: URLSearchParams): boolean => one.get(name) !== url.searchParams.get(name);
  const there = elsewhere.map(queryOf).find((one) => !TEXTS.some((name) => differs(name, one)));
  if (!there || !TEXTS.some((name) => differs(name, here))) return address;
  for (const name of new Set([...here.keys(), ...there.keys()])) {
    if (differs(name, there)) continue;
    const value = here.get(name);
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.href;
}

const queryOf = (href: string): URLSearchParams => new URLSearchParams(href.slice(href.indexOf("?")));

// In a link beside those of the view: a lecture's, and what is no other view, such as what is pointed at.
export const OURS = ["lecture", "scene", "present", "notes", "picture"];
const BESIDE = [...OURS, ...KEPT, "cell", "node", "open"];

// Whether an address still shows the place's view. `untouched`: the address that the page made of the place's link; it
// may leave out what is usual, but for the texts: a scene's own are not those that a page opens with.
export function isViewOf({ href }: Place, untouched: string, address: string): boolean {
  const [asked, before, now] = [href, untouched, address].map(queryOf);
  return [...new Set([...asked.keys(), ...now.keys()])]
    .filter((name) => !BESIDE.includes(name) && (TEXTS.includes(name) || before.has(name) || now.has(name)))
    .every((name) => asked.get(name) === now.get(name));
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

// A packed lecture may be long, and every change makes it another one: the browser keeps a place only for the last one.
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
