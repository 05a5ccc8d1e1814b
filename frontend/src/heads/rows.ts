// Rows of tokens that fit on the screen: as high as there is room; where they are many, only some have a text.

const LEGIBLE = 13; // CSS pixels that a text takes
const LEAST = 18; // a row in which every number can be read; below it a person may zoom in
const CLOSE = 26; // a row, zoomed in as far as it goes

export interface Rows {
  readonly height: number; // of one
  readonly isDense: boolean; // too low for every row to have a text, unless one zooms in
}

// `zoom`: from 0, where all rows are on the screen, to 1.
export function fitRows(count: number, room: number, most: number, zoom: number): Rows {
  if (!Number.isFinite(room)) return { height: CLOSE, isDense: false };
  const fit = room / count;
  if (fit >= LEAST) return { height: Math.floor(Math.min(most, fit)), isDense: false };
  return { height: fit + zoom * (CLOSE - fit), isDense: true };
}

// The size of a text in a row.
export function fontIn(rowHeight: number): number {
  return Math.max(11.5, Math.min(20, Math.round(rowHeight * 0.5)));
}

// The rows that have a text: those of `first`, the most important first, then as many others as there is room for.
export function namedRows(count: number, rowHeight: number, first: readonly number[] = []): ReadonlySet<number> {
  const apart = Math.ceil(LEGIBLE / rowHeight);
  const named = new Set<number>();
  const isFree = new Array<boolean>(count).fill(true);
  const name = (place: number) => {
    if (!isFree[place]) return;
    named.add(place);
    isFree.fill(false, Math.max(0, place - apart + 1), place + apart);
  };
  first.forEach(name);
  for (let place = 0; place < count; place++) name(place);
  return named;
}

// The places of the largest values, largest first.
export function largestOf(values: readonly number[], count: number): number[] {
  return [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, count);
}
