// Where the bars of sliders are, for the views that go along with them.

import { Hearers } from "./hearers.ts";

export interface Move {
  readonly bar: string; // its key
  readonly place: string; // of its sliders, as text
  views: number; // that go along
  waiting: number; // of them, for Python
}

const places = new Map<string, string>();
const moves = new Hearers<[Move]>();

// Where a bar was last heard to be.
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

// -> how to stop listening. A view of that bar answers by counting itself.
export const listen = moves.hear;
