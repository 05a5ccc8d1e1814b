// Where the nodes of a tree lie, in CSS pixels: a column for each step, a row for each rank.

import type { Candidate, Search } from "./search.ts";

// Of a node, and of the gaps beside and below it, by zoom.
export const SIZES = [
  { width: 12, height: 8, across: 8, below: 3 },
  { width: 86, height: 24, across: 24, below: 5 },
  { width: 122, height: 40, across: 34, below: 7 },
] as const;
const TOP = 26; // the row of step numbers

// The size that fits a search in a box of this width.
export function zoomFor({ levels }: Search, width: number): number {
  const tallest = Math.max(...levels.map((level) => level.length));
  return tallest > 10 || levels.length > 30 || width < 600 ? 1 : 2;
}

export function fieldSize({ levels }: Search, zoom: number): { width: number; height: number } {
  return { width: xOf(levels.length, zoom), height: yOf(Math.max(...levels.map((level) => level.length)), zoom) };
}

// The left side of a level's nodes; level −1 is the start.
export function xOf(level: number, zoom: number): number {
  const { width, across } = SIZES[zoom];
  return (level + 1) * (width + across);
}

// The top of a rank's nodes.
export function yOf(rank: number, zoom: number): number {
  const { height, below } = SIZES[zoom];
  return TOP + rank * (height + below);
}

// From a node's parent to it, as a path of SVG.
export function edgePath({ level, rank, parent }: Candidate, zoom: number): string {
  const { width, height } = SIZES[zoom];
  const [x1, y1] = [xOf(level - 1, zoom) + width, yOf(Math.max(0, parent), zoom) + height / 2];
  const [x2, y2] = [xOf(level, zoom), yOf(rank, zoom) + height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
