// Where each bar of sliders stands, for the views that move along with it.

import { Hearers } from "./hearers.ts";

export interface Move {
  readonly bar: string; // its key
  readonly place: string; // of its sliders, as text
  views: number; // how many move along
  waiting: number; // how many of them wait for Python
}

const places = new Map<string, string>();
const moves = new Hearers<[Move]>();

// The place of a bar that was announced last.
export function placeOf(bar: string): string | undefined {
  return places.get(bar);
}

// Tells the views of a bar where it is -> how many there are, and how many of them have to wait for Python.
export function announce(bar: string, sliders: readonly number[]): Move {
  const move: Move = { bar, place: sliders.join(), views: 0, waiting: 0 };
  places.set(bar, move.place);
  moves.tell(move);
  return move;
}

// A listener that belongs to the bar counts itself in the move. -> how to stop listening
export const listen = moves.hear;
