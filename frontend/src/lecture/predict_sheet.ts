// An answer sheet: what a person marks on, and what then shows both answers.

import type { Tally, Truth } from "../kit/classroom.ts";
import type { Tensor } from "../kit/codec.ts";
import type { Axis } from "../kit/score.ts";

interface AskedOf<Kind extends string> {
  readonly id: string; // of the question, in this view
  readonly kind: Kind;
  readonly of: string;
  readonly task: string;
  readonly rule: string;
  readonly titles: readonly [string, string]; // of the axes, the one from left to right first
}
export interface AskedCells extends AskedOf<"cells"> {
  readonly truth: Tensor<Float32Array>; // (T, S)
  readonly allowed: Tensor<Uint8Array>; // (T, S)
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly writes: readonly string[];
}
export interface AskedToken extends AskedOf<"token" | "text"> {
  readonly read: readonly string[];
  readonly tokens: readonly string[]; // the likeliest first; none: nobody scores a text
  readonly probabilities: Tensor<Float32Array>;
}
export interface AskedNumber extends AskedOf<"number"> {
  readonly value: number;
}
export interface AskedCurve extends AskedOf<"curve"> {
  readonly x: Tensor<Float64Array>;
  readonly y: Tensor<Float64Array>;
  readonly axes: { readonly x: Axis; readonly y: Axis };
}
export interface AskedChoice extends AskedOf<"choice"> {
  readonly options: readonly string[];
  readonly right: number | null;
}
export type Asked = AskedChoice | AskedCells | AskedToken | AskedNumber | AskedCurve;

export interface Sheet {
  readonly element: HTMLElement;
  // What is marked, as it is kept; null: nothing that could be scored.
  guess(): unknown;
  // Takes back a guess as it was kept; one that makes no sense is ignored.
  restore(guess: unknown): void;
  // null: there is none.
  truth(): Truth | null;
  // Shows both answers, or only one's own.
  reveal(isRevealed: boolean): void;
  // Shows how a class answered beside both; null: there is no tally.
  tally(tally: Tally | null): void;
  // Fits the sheet into the room that it has, in px.
  fit(width: number, height: number): void;
  // What else there is to say once it is revealed, or while it is not.
  said(): string;
}

export type Changed = () => void;
