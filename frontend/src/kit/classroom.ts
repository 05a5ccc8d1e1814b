// What the page's components know of the room that this browser is in, and what they say in it. The room's own component
// speaks with the server (src/room); every bundle has a copy of this file, so what is known stands with the page.

export type Part = "leads" | "follows" | "explores";
export type Kind = "cells" | "token" | "number" | "curve";

export interface Question {
  readonly id: string;
  readonly kind: Kind;
  readonly size: number; // cells of a matrix, places of a curve
  readonly columns: number; // of a matrix; else 0
  readonly title: string;
  readonly open: boolean;
}

// How a class answered: counts, and nobody's name.
export type Tally = { readonly id: string; readonly answers: number } & (
  | { readonly kind: "cells"; readonly counts: readonly number[] }
  | { readonly kind: "token"; readonly tokens: readonly (readonly [string, number])[]; readonly others: number }
  | { readonly kind: "number"; readonly values: readonly number[] } // sorted
  | { readonly kind: "curve"; readonly counts: readonly number[] } // for each place, from the bottom, its bins
);
export type TallyOf<K extends Kind> = Extract<Tally, { readonly kind: K }>;

export interface Classroom {
  readonly code: string;
  readonly part: Part;
  readonly members: number;
  readonly answered: number; // to the question
  readonly question: Question | null;
  readonly tally: Tally | null; // of the question, once it is revealed
  readonly counted: string | null; // the question to which the server has this browser's answer
  readonly refused: string | null; // the question to which it did not take one
}

export type Said =
  | { readonly ask: Omit<Question, "open"> | null }
  | { readonly reveal: string }
  | { readonly answer: { readonly id: string; readonly guess: unknown } };

const KNOWN = Symbol.for("viz-transformer-classroom");
const CHANGED = "viz-transformer-classroom";
const SAID = "viz-transformer-says";

export function classroom(): Classroom | null {
  return (Reflect.get(globalThis, KNOWN) as Classroom | null | undefined) ?? null;
}

export function setClassroom(now: Classroom | null): void {
  if (JSON.stringify(now) === JSON.stringify(classroom())) return;
  Reflect.set(globalThis, KNOWN, now);
  document.dispatchEvent(new Event(CHANGED));
}

// -> stops hearing
export function hearClassroom(hear: () => void): () => void {
  document.addEventListener(CHANGED, hear);
  return () => document.removeEventListener(CHANGED, hear);
}

export function sayInRoom(said: Said): void {
  document.dispatchEvent(new CustomEvent(SAID, { detail: said }));
}

export function hearSaid(hear: (said: Said) => void): () => void {
  const on = (event: Event): void => hear((event as CustomEvent<Said>).detail);
  document.addEventListener(SAID, on);
  return () => document.removeEventListener(SAID, on);
}
