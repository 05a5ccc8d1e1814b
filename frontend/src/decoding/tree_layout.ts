// Where the nodes of a tree lie, in CSS pixels: a column for each step, a row for each rank.

import type { Candidate, Search } from "./search.ts";

// By zoom: the width of the start, the size of a node, and the gaps beside and below it.
export const SIZES = [
  { start: 12, width: 12, height: 8, across: 8, below: 3 },
  { start: 36, width: 90, height: 26, across: 14, below: 4 },
  { start: 44, width: 114, height: 34, across: 26, below: 4 },
  { start: 60, width: 164, height: 54, across: 40, below: 10 },
] as const;
const TOP = 24; // the row of step numbers
const [SMALL, USUAL, LARGE] = [1, 2, 3];
const LONG = 30; // steps

// LARGE if the whole tree fits into a box of this size, USUAL if all ranks fit and neither the steps are many nor the
// box is narrower than `least`, else SMALL.
export function zoomFor(search: Search, width: number, height: number, least = 600): number {
  const fits = (zoom: number) => fieldSize(search, zoom).height <= height;
  if (fits(LARGE) && fieldSize(search, LARGE).width <= width) return LARGE;
  return fits(USUAL) && search.levels.length <= LONG && width >= least ? USUAL : SMALL;
}

export function fieldSize({ levels }: Search, zoom: number): { width: number; height: number } {
  return {
    width: xOf(levels.length, zoom) - SIZES[zoom].across,
    height: yOf(Math.max(...levels.map((level) => level.length)), zoom),
  };
}

// The left side of a level's nodes; level −1 is the start.
export function xOf(level: number, zoom: number): number {
  const { start, width, across } = SIZES[zoom];
  return level < 0 ? 0 : start + across + level * (width + across);
}

export function widthOf(level: number, zoom: number): number {
  return level < 0 ? SIZES[zoom].start : SIZES[zoom].width;
}

// The top of a rank's nodes.
export function yOf(rank: number, zoom: number): number {
  const { height, below } = SIZES[zoom];
  return TOP + rank * (height + below);
}

// From a node's parent to it, as a path of SVG.
export function edgePath({ level, rank, parent }: Candidate, zoom: number): string {
  const { height } = SIZES[zoom];
  const [x1, y1] = [xOf(level - 1, zoom) + widthOf(level - 1, zoom), yOf(Math.max(0, parent), zoom) + height / 2];
  const [x2, y2] = [xOf(level, zoom), yOf(rank, zoom) + height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
