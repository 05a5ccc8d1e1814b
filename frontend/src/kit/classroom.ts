// What the panels of a page know of the room that this browser is in, and what they say in it. The room's own panel speaks
// with the server (src/room).

import { Hearers } from "./hearers.ts";

export type Part = "leads" | "follows" | "explores";
export type Kind = "cells" | "token" | "number" | "curve";

export interface Question {
  readonly id: string;
  readonly kind: Kind;
  readonly size: number; // cells of a matrix, places of a curve
  readonly columns: number; // of a matrix; else 0
  readonly title: string;
  readonly open: boolean;
  readonly unread: boolean; // it is over, and the lecturer reads the texts that answer it before others do
}

// What is true of a question, as far as answers are scored by it.
export interface Truth {
  readonly values: readonly number[]; // of a matrix row by row; the probabilities of tokens; a number; a curve's heights
  readonly rows: readonly string[]; // tokens of a matrix's rows; else those to which the probabilities belong
  readonly columns: readonly string[]; // of a matrix
  readonly mask: boolean; // of which any cells may be marked; else one in each row
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
  | { readonly ask: Omit<Question, "open" | "unread"> | null }
  | { readonly reveal: { readonly id: string; readonly truth: Truth | null } }
  | { readonly answer: { readonly id: string; readonly guess: unknown } };

let known: Classroom | null = null;
const changes = new Hearers<[]>();
const said = new Hearers<[Said]>();

export function classroom(): Classroom | null {
  return known;
}

export function setClassroom(now: Classroom | null): void {
  if (JSON.stringify(now) === JSON.stringify(known)) return;
  known = now;
  changes.tell();
}

export const hearClassroom = changes.hear;

export const { tell: sayInRoom, hear: hearSaid } = said;

// Asks the room's panel to show the code by which a class comes in, as large as the screen.
export const { tell: showCode, hear: hearShowCode } = new Hearers<[]>();
