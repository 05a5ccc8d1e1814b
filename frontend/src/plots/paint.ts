// Axes, bars, lines and points on a canvas. Letters are large: a plot is read from the back of a lecture hall.

import type { Context } from "../kit/canvas.ts";
import type { Look } from "../kit/look.ts";
import { axisText } from "../kit/numbers.ts";
import type { PlotContent, Series } from "./content.ts";
import type { PlotLayout, Point } from "./layout.ts";

const HUES: Readonly<Record<string, string>> = {
  draw: "--st-gray-color",
  theory: "--st-red-color",
  scaled: "--st-primary-color",
  unscaled: "--st-red-color",
  other: "--st-violet-color",
  query: "--st-blue-color",
  key: "--st-orange-color",
};
// Types of layers: five that colour-blind eyes tell apart, on light and on dark pages.
const LAYERS: Readonly<Record<string, string>> = {
  attention: "#2f7fc1",
  recurrent: "#d55e00",
  convolution: "#009e73",
  dilated: "#b5489b",
  restricted: "#a07d12",
};
const DASH = [9, 6];

export interface PlotLook extends Look {
  readonly style: Pick<CSSStyleDeclaration, "getPropertyValue">; // the page's colours
}

export function colourOf({ hue }: Pick<Series, "hue">, { style }: Pick<PlotLook, "style">): string {
  return LAYERS[hue] ?? style.getPropertyValue(HUES[hue]).trim();
}

export function paintPlot(context: Context, content: PlotContent, layout: PlotLayout, look: PlotLook): void {
  paintAxes(context, content, layout, look);
  const { box } = layout;
  context.save();
  context.beginPath();
  context.rect(box.left - 6, box.top - 6, box.right - box.left + 12, box.bottom - box.top + 12);
  context.clip();
  content.series.forEach((one, n) => paintSeries(context, one, layout.points[n], layout, look));
  context.restore();
}

function paintAxes(context: Context, { x, y }: PlotContent, layout: PlotLayout, { text, font }: PlotLook): void {
  const { box, size, px, py, xTicks, yTicks, width, height, slanted } = layout;
  context.strokeStyle = context.fillStyle = text;
  context.lineWidth = 1;
  context.font = `${size}px ${font}`;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of yTicks) {
    const at = Math.round(py(tick)) + 0.5;
    strokeFaint(context, 0.14, [box.left, at], [box.right, at]);
    context.fillText(axisText(tick), box.left - 7, at);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const tick of xTicks) {
    const at = Math.round(px(tick)) + 0.5;
    strokeFaint(context, 0.5, [at, box.bottom], [at, box.bottom + 5]);
    const label = x.labels[tick] ?? axisText(tick);
    if (slanted) {
      context.save();
      context.translate(at + 4, box.bottom + 9);
      context.rotate(-Math.PI / 4);
      context.textAlign = "right";
      context.fillText(label, 0, 0);
      context.restore();
    } else {
      context.fillText(label, Math.min(at, width - context.measureText(label).width / 2), box.bottom + 9);
    }
  }
  strokeFaint(context, 0.5, [box.left, box.bottom + 0.5], [box.right, box.bottom + 0.5]);
  context.font = `600 ${size}px ${font}`;
  context.textBaseline = "bottom";
  context.fillText(x.title, (box.left + box.right) / 2, height - 2, box.right);
  context.save();
  context.translate(0, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textBaseline = "top";
  context.fillText(y.title, 0, 1, box.bottom - box.top + 40);
  context.restore();
}

function strokeFaint(context: Context, alpha: number, from: Point, to: Point): void {
  context.globalAlpha = alpha;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.globalAlpha = 1;
}

type Points = readonly (Point | null)[];

function paintSeries(context: Context, one: Series, points: Points, layout: PlotLayout, look: PlotLook): void {
  context.fillStyle = context.strokeStyle = colourOf(one, look);
  if (one.kind === "bars") paintBars(context, one, points, layout);
  if (one.kind === "line") strokeLine(context, points, one.dashed);
  if (one.error) paintErrors(context, one.y, one.error, points, layout);
  if (one.kind === "points") for (const at of points) if (at) paintDot(context, at, 5);
}

function paintBars(context: Context, { x }: Series, points: Points, { box, px }: PlotLayout): void {
  context.globalAlpha = 0.55;
  points.forEach((at, n) => {
    if (!at) return;
    const [from, to] = [px(x[n]), px(x[n + 1])];
    const gap = to - from > 4 ? 1 : 0;
    context.fillRect(from, at[1], Math.max(1, to - from - gap), box.bottom - at[1]);
  });
  context.globalAlpha = 1;
}

function paintErrors(
  context: Context,
  y: Float64Array,
  error: Float64Array,
  points: Points,
  { box, py }: PlotLayout,
): void {
  context.lineWidth = 2;
  points.forEach((at, n) => {
    if (!at || !Number.isFinite(error[n])) return;
    // Below 0 a logarithmic axis has no place.
    const [low, high] = [y[n] - error[n], y[n] + error[n]].map((value) =>
      Number.isFinite(py(value)) ? py(value) : box.bottom,
    );
    context.beginPath();
    context.moveTo(at[0], low);
    context.lineTo(at[0], high);
    for (const end of [low, high]) {
      context.moveTo(at[0] - 5, end);
      context.lineTo(at[0] + 5, end);
    }
    context.stroke();
  });
}

function strokeLine(context: Context, points: Points, isDashed: boolean): void {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.setLineDash(isDashed ? DASH : []);
  context.beginPath();
  let isDown = false;
  for (const at of points) {
    if (at) context[isDown ? "lineTo" : "moveTo"](...at);
    isDown = at !== null;
  }
  context.stroke();
  context.setLineDash([]);
}

function paintDot(context: Context, [x, y]: Point, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

// Where the cursor is.
export function paintMark(
  context: Context,
  [x, y]: Point,
  colour: string,
  { box }: Pick<PlotLayout, "box">,
  { text, background }: Pick<Look, "text" | "background">,
): void {
  context.strokeStyle = text;
  context.globalAlpha = 0.4;
  context.beginPath();
  context.moveTo(x, box.top);
  context.lineTo(x, box.bottom);
  context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = colour;
  paintDot(context, [x, y], 6);
  context.strokeStyle = background;
  context.lineWidth = 2;
  context.stroke();
}

// A series in the legend, 28 × 12 pixels.
export function paintSwatch(context: Context, one: Series, look: PlotLook): void {
  context.fillStyle = context.strokeStyle = colourOf(one, look);
  if (one.kind === "bars") {
    context.globalAlpha = 0.55;
    context.fillRect(0, 1, 26, 10);
    context.globalAlpha = 1;
  } else if (one.kind === "line") {
    // biome-ignore format: a line
    strokeLine(context, [[0, 6], [26, 6]], one.dashed);
  } else {
    paintDot(context, [13, 6], 5);
  }
}
