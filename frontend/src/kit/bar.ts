// Where the bars of sliders are, heard in every component's bundle.

const MOVED = "viz-transformer-moved";

export interface Move {
  readonly bar: string; // its key
  readonly place: string; // of its sliders, as text
  views: number; // that go along
  waiting: number; // of them, for Python
}

const places = new Map<string, string>();
listen((move) => places.set(move.bar, move.place));

// Where a bar was last heard to be.
export function placeOf(bar: string): string | undefined {
  return places.get(bar);
}

// Tells the views of a bar where it is -> how many there are, and how many of them have to wait for Python.
export function announce(bar: string, sliders: readonly number[]): Move {
  const detail: Move = { bar, place: sliders.join(), views: 0, waiting: 0 };
  document.dispatchEvent(new CustomEvent(MOVED, { detail })); // every view has answered when this returns
  return detail;
}

// -> how to stop listening. A view of that bar answers by counting itself.
export function listen(hear: (move: Move) => void): () => void {
  const onMoved = (event: Event) => hear((event as CustomEvent<Move>).detail);
  document.addEventListener(MOVED, onMoved);
  return () => document.removeEventListener(MOVED, onMoved);
}
