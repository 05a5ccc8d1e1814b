// Where the curves of a run lie, in CSS pixels.

import type { Film, Points } from "./film.ts";

export const HEIGHT = 168;
export const MARGIN = { left: 46, right: 46, top: 10, bottom: 34 };

// A curve: `name` as its class, `label` among the labels.
export interface Series {
  readonly name: string;
  readonly label: string;
  readonly isShare: boolean; // its values, in 0 … 1, are read on the right; those of others are shares of the highest loss
  readonly points: Points;
}

export function highestLoss(film: Film): number {
  const losses = [...film.losses, ...film.numbers("valid_loss")].map(([, loss]) => loss);
  return Math.max(0.01, ...losses.filter(Number.isFinite));
}

// The curves that have at least one number.
export function seriesOf(film: Film): Series[] {
  const highest = highestLoss(film);
  const scaled = (points: Points): Points => points.map(([step, loss]) => [step, loss / highest]);
  const all: Series[] = [
    { name: "training", label: "training_loss", isShare: false, points: scaled(film.losses) },
    { name: "held-out", label: "held_out_loss", isShare: false, points: scaled(film.numbers("valid_loss")) },
    { name: "token_accuracy", label: "token_share", isShare: true, points: film.numbers("token_accuracy") },
    { name: "exact_match", label: "exact_share", isShare: true, points: film.numbers("exact_match") },
  ];
  return all.filter(({ points }) => points.some(([, value]) => Number.isFinite(value)));
}

export function xOf(step: number, steps: number, width: number): number {
  return MARGIN.left + (step / steps) * (width - MARGIN.left - MARGIN.right);
}

export function yOf(share: number): number {
  return MARGIN.top + (1 - share) * (HEIGHT - MARGIN.top - MARGIN.bottom);
}

// The snapshot whose mark is nearest to x.
export function nearestSnapshot({ snapshotSteps, steps }: Film, x: number, width: number): number {
  const distances = Array.from(snapshotSteps, (step) => Math.abs(xOf(step, steps, width) - x));
  return distances.indexOf(Math.min(...distances));
}

// The data of an SVG path, with a gap where a number is missing.
export function pathOf(points: Points, steps: number, width: number): string {
  let isDrawing = false;
  let path = "";
  for (const [step, value] of points) {
    if (Number.isFinite(value)) {
      path += `${isDrawing ? "L" : "M"}${xOf(step, steps, width).toFixed(1)} ${yOf(value).toFixed(1)}`;
    }
    isDrawing = Number.isFinite(value);
  }
  return path;
}
