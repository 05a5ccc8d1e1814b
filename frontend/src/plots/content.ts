// What plot_view.py sends.

import type { Tensor } from "../kit/codec.ts";
import type { TextTable } from "../kit/table.ts";

type Numbers = Tensor<Float64Array>;

export interface Plots {
  readonly plots: readonly SentPlot[];
  readonly tables: readonly TextTable[];
  readonly notes: readonly string[]; // which read the plots
  readonly below: readonly SentPlot[]; // after the notes
}

export interface SentPlot extends Omit<PlotContent, "series"> {
  readonly series: readonly (Omit<Series, "x" | "y" | "error"> & { x: Numbers; y: Numbers; error: Numbers | null })[];
}

export interface PlotContent {
  readonly name: string;
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  readonly slugs: string; // that it shows, see kit/term_highlight.ts
  readonly isWide: boolean; // whether it has a row of its own
}

export interface Axis {
  readonly title: string;
  readonly log: 0 | 2 | 10; // the base of its ticks, or 0: linear
  readonly low: number | null; // it reaches at least to here
  readonly high: number | null;
  readonly labels: readonly string[]; // of the places 0, 1, …, instead of numbers
  readonly isFixed: boolean; // it ends at `low` and `high`; what lies beyond is left out
}

export interface Series {
  readonly name: string;
  readonly kind: "bars" | "line" | "points";
  readonly hue: string;
  readonly dashed: boolean;
  readonly x: Float64Array; // (n,) places; of bars their (n + 1,) edges
  readonly y: Float64Array; // (n,) what is not finite is left out of the picture
  readonly error: Float64Array | null; // (n,) drawn as y ± error
  readonly texts: readonly string[]; // names of its points, or none
}

export function contentOf({ series, ...plot }: SentPlot): PlotContent {
  return {
    ...plot,
    series: series.map(({ x, y, error, ...one }) => ({
      ...one,
      x: x.values,
      y: y.values,
      error: error?.values ?? null,
    })),
  };
}

// Whether two plots look the same.
export function isSame(a: PlotContent, b: PlotContent): boolean {
  return described(a) === described(b) && a.series.every((one, n) => areSame(one, b.series[n]));
}

function described({ series, ...plot }: PlotContent): string {
  return JSON.stringify([plot, series.map(({ x, y, error, ...one }) => [one, x.length, y.length, error?.length])]);
}

function areSame(a: Series, b: Series): boolean {
  const equal = (some: Float64Array, others: Float64Array) => some.every((value, n) => Object.is(value, others[n]));
  return equal(a.x, b.x) && equal(a.y, b.y) && (!a.error || !b.error || equal(a.error, b.error));
}
