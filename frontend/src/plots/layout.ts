// Where everything of a plot lies on its canvas: scales, ticks, points.

import { ticks } from "d3-array";
import { axisText } from "../kit/numbers.ts";
import type { Axis, PlotContent, Series } from "./content.ts";

export type Point = readonly [x: number, y: number];
type Scale = (value: number) => number; // -> CSS pixels
type Span = readonly [low: number, high: number];

// In CSS pixels.
export interface PlotLayout {
  readonly width: number;
  readonly height: number;
  readonly size: number; // of the letters
  readonly box: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
  readonly px: Scale;
  readonly py: Scale;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
  readonly points: readonly (readonly (Point | null)[])[]; // of each series; null is not drawn
  readonly slanted: number; // what slanted labels below take more than level ones, or 0
}

// `tallest`: how high it may be.
export function layOutPlot({ x, y, series }: PlotContent, width: number, tallest = 360): PlotLayout {
  const size = width < 370 ? 13 : width < 480 ? 15 : 17;
  const xSpan: Span = x.labels.length ? [-0.5, x.labels.length - 0.5] : spanOf(across(series, x), x, 0);
  const ySpan = spanOf(upwards(series, y), y, 0.06);
  const yTicks = ticksOf(ySpan, y, 5);
  const letter = 0.58 * size;
  const longest = (texts: readonly string[]) => letter * Math.max(...texts.map((text) => text.length));
  const left = Math.ceil(size * 1.9 + longest(yTicks.map(axisText)));
  const isCrowded = x.labels.length > 0 && longest(x.labels) * x.labels.length > (width - left) * 0.95;
  const slanted = isCrowded ? Math.ceil(longest(x.labels) * 0.72) : 0;
  const bottom = Math.ceil(size * 3.1) + slanted;
  const height = Math.round(Math.max(230, Math.min(tallest, width * 0.62))) + slanted;
  const box = { left, right: width - 14, top: Math.ceil(size * 0.7), bottom: height - bottom };
  const px = scaleOf(xSpan, x, box.left, box.right);
  const py = scaleOf(ySpan, y, box.bottom, box.top);
  const room = Math.max(3, Math.floor((box.right - box.left) / (size * 5)));
  const pitch = (box.right - box.left) / x.labels.length;
  const every = slanted ? Math.ceil((1.4 * size) / pitch) : 1; // else labels lie on each other
  const xTicks = x.labels.length ? x.labels.map((_, n) => n).filter((n) => n % every === 0) : ticksOf(xSpan, x, room);
  const points = series.map((one) =>
    Array.from(one.y, (value, n): Point | null => {
      const at = one.kind === "bars" ? (one.x[n] + one.x[n + 1]) / 2 : one.x[n];
      return isOn(x, at) && isOn(y, value) && isWithin(x, at) ? [px(at), py(value)] : null;
    }),
  );
  return { width, height, size, box, px, py, xTicks, yTicks, points, slanted };
}

// Whether an axis has a place for a number.
function isOn({ log }: Axis, value: number): boolean {
  return Number.isFinite(value) && !(log && value <= 0);
}

// Whether a number is on the part of an axis that is seen.
function isWithin({ isFixed, low, high }: Axis, value: number): boolean {
  return !isFixed || ((low === null || value >= low) && (high === null || value <= high));
}

function across(series: readonly Series[], x: Axis): number[] {
  return series.flatMap((one) => [...one.x].filter((value) => isOn(x, value)));
}

// Heights with their errors; bars stand on 0.
function upwards(series: readonly Series[], y: Axis): number[] {
  return series.flatMap(({ kind, y: heights, error }) =>
    [...heights].flatMap((value, n) => {
      if (!isOn(y, value)) return [];
      const ends = [value + errorOf(error, n), value - errorOf(error, n)].map((end) => (isOn(y, end) ? end : value));
      return kind === "bars" && !y.log ? [...ends, 0] : ends;
    }),
  );
}

function errorOf(error: Float64Array | null, n: number): number {
  return error && Number.isFinite(error[n]) ? error[n] : 0;
}

function spanOf(values: readonly number[], { log, low: least, high: most, isFixed }: Axis, room: number): Span {
  if (isFixed && least !== null && most !== null) return [least, most];
  let low = Math.min(...values, least ?? Infinity);
  let high = Math.max(...values, most ?? -Infinity);
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = log ? [1, 10] : [0, 1];
  if (log) {
    if (low === high) [low, high] = [low / log, high * log];
    const spread = (high / low) ** room;
    return [low / spread, high * spread];
  }
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const spread = (high - low) * room;
  return [low === 0 || low === least ? low : low - spread, high === most && most === 0 ? high : high + spread];
}

// Exact for the powers themselves, as Math.log(1000) / Math.log(10) is not.
const POWER = { 0: (value: number) => value, 2: Math.log2, 10: Math.log10 };

function scaleOf([low, high]: Span, { log }: Axis, from: number, to: number): Scale {
  const power = POWER[log];
  const [start, end] = [power(low), power(high)];
  return (value) => from + ((power(value) - start) / (end - start)) * (to - from);
}

// On a logarithmic axis powers alone, where there is room for two of them.
function ticksOf([low, high]: Span, { log }: Axis, count: number): number[] {
  if (log) {
    const powers = ticks(POWER[log](low), POWER[log](high), count).filter(Number.isInteger);
    if (powers.length > 1) return powers.map((power) => log ** power);
  }
  return ticks(low, high, count);
}
