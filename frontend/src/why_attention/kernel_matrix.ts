// Kernel regression as an attention matrix: its rows are evenly spaced queries, its columns the points.

import type { Context } from "../kit/canvas.ts";
import { type Scale, sequentialTo } from "../kit/colour.ts";
import type { Labels } from "../kit/dom.ts";
import type { Look } from "../kit/look.ts";
import { imageOf } from "../matrix/heatmap.ts";
import type { Points } from "./kernel_content.ts";
import { weightsOf } from "./kernel_numbers.ts";

export const ROWS = 61; // queries, from 0 to the right end
const [LEFT, TOP, BOTTOM, RIGHT] = [58, 22, 34, 2];
const NUMBER = 34; // the room that a point's number takes

export interface KernelMatrix {
  readonly width: number; // of the kernel
  readonly count: number; // of the points
  readonly xMax: number;
  readonly scale: Scale;
  readonly image: OffscreenCanvas; // one pixel a cell
}

// In CSS pixels.
export interface Layout {
  readonly height: number;
  readonly left: number; // of the cells
  readonly top: number;
  readonly columns: number; // what they take across
  readonly rows: number; // and down
}

export function matrixOf({ x, xMax }: Points, width: number): KernelMatrix {
  const queries = Array.from({ length: ROWS }, (_, row) => (row / (ROWS - 1)) * xMax);
  const values = queries.flatMap((query) => weightsOf(query, x, width));
  const scale = sequentialTo(values.reduce((highest, value) => Math.max(highest, value), 0));
  const image = imageOf({ rowLabels: queries, columnLabels: x, values, mask: values.map(() => 1), scale });
  return { width, count: x.length, xMax, scale, image };
}

export function layOut(width: number, highest: number): Layout {
  const height = Math.round(Math.min(width, highest));
  return { height, left: LEFT, top: TOP, columns: width - LEFT - RIGHT, rows: height - TOP - BOTTOM };
}

// The query at a height of the canvas.
export function queryAt(y: number, height: number, xMax: number): number {
  return ((y - TOP) / (height - TOP - BOTTOM)) * xMax;
}

export function paintKernelMatrix(
  context: Context,
  { image, count, xMax }: KernelMatrix,
  { height, left, top, columns, rows }: Layout,
  query: number,
  { text, background, font, hue }: Pick<Look, "text" | "background" | "font" | "hue">,
  labels: Labels,
): void {
  const yOf = (value: number) => top + (value / xMax) * rows;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, left, top, columns, rows);
  for (const [style, thickness] of [
    [background, 4],
    [hue, 2],
  ] as const) {
    context.strokeStyle = style;
    context.lineWidth = thickness;
    context.strokeRect(left, yOf(query) - 5, columns, 10);
  }
  context.fillStyle = text;
  context.font = `12px ${font}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (let tick = 0; tick <= xMax; tick += 1) context.fillText(String(tick), left - 8, yOf(tick));
  context.textAlign = "left";
  context.fillText(labels.keys, left, top / 2);
  context.textAlign = "center";
  const every = Math.ceil(count / (columns / NUMBER));
  for (let point = 0; point < count; point += every) {
    context.fillText(String(point + 1), left + ((point + 0.5) * columns) / count, height - BOTTOM / 2 - 4);
  }
  context.save();
  context.translate(12, top + rows / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(labels.queries, 0, 0);
  context.restore();
}
