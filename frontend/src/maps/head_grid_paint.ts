// Paints all heads as thumbnails: one pixel a cell, scaled up, and under each the score that colours it.

import type { Context } from "../kit/canvas.ts";
import { cssOf, hatch, type Scale } from "../kit/colour.ts";
import type { Labels } from "../kit/component.ts";
import { fillText } from "../kit/dom.ts";
import type { Look } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { textWidth, visible } from "../kit/tokens.ts";
import { imageOf } from "../matrix/heatmap.ts";
import { ROW_LABEL, type Slot, type Thumbnails } from "./head_grid_layout.ts";
import { type ModuleMaps, matrixOf } from "./maps.ts";

const NARROWEST = 0.4; // of a slot
export const FRAME = 3; // the width of the line around the open head

// The score that colours the heads.
export interface Colouring {
  readonly scale: Scale;
  scoreOf(module: ModuleMaps, layer: number, head: number): number; // NaN where there is none
}

export interface GlancePainting {
  readonly look: Pick<Look, "text" | "font" | "ratio">;
  readonly labels: Labels;
  readonly colouring: Colouring | null;
  readonly isSorted: boolean; // then rows and columns are not layers and heads
}

export function paintThumbnails(context: Context, layout: Thumbnails<ModuleMaps>, painting: GlancePainting): void {
  const { look, labels } = painting;
  for (const { module, x, y, slots } of layout.blocks) {
    context.fillStyle = look.text;
    context.textBaseline = "top";
    context.font = `600 14px ${look.font}`;
    context.fillText(labels[module.name], x, y);
    context.font = `12px ${look.font}`;
    const pattern = hatch(context, look.text, look.ratio);
    for (const slot of slots) {
      paintThumbnail(context, slot, layout, painting, pattern);
      if (!painting.isSorted) paintHeadings(context, slot, layout.side, painting);
    }
  }
}

// A thumbnail's width and height. Its cells are square, unless that would make it a mere line: one text is much longer.
export function sizeOf({ queries, keys }: Pick<ModuleMaps, "queries" | "keys">, side: number): [number, number] {
  const longest = Math.max(queries.length, keys.length);
  const within = (count: number) => side * Math.max(NARROWEST, count / longest);
  return [within(keys.length), within(queries.length)];
}

export function shortNumber(value: number, digits = 2): string {
  return Number.isNaN(value) ? "" : numberText(value, digits);
}

// Heads above the first row; layers beside their first head.
function paintHeadings(context: Context, slot: Slot<ModuleMaps>, side: number, { look, labels }: GlancePainting): void {
  context.globalAlpha = 0.75;
  context.fillStyle = look.text;
  if (slot.row === 0) {
    const text = fillText(labels.head_n, { head: slot.head + 1 });
    context.fillText(textWidth(text, context.font) < side ? text : String(slot.head + 1), slot.x, slot.y - 15);
  }
  if (slot.column === 0) {
    context.fillText(
      fillText(labels.layer_n, { layer: slot.layer + 1 }),
      slot.x - ROW_LABEL,
      slot.y + 2,
      ROW_LABEL - 6,
    );
  }
  context.globalAlpha = 1;
}

// The cell that is pinned, in each head of its module, with its query's word beside the first head of a row.
export function paintPinned(
  context: Context,
  { module, x, y, column }: Slot<ModuleMaps>,
  { side }: Pick<Thumbnails<ModuleMaps>, "side">,
  { module: name, pinned }: { readonly module: string; readonly pinned: readonly [number, number] | null },
  { text, background, font }: Pick<Look, "text" | "background" | "font">,
  hasWords: boolean,
): void {
  const [i, j] = pinned ?? [-1, -1];
  if (module.name !== name || !(i in module.queries) || !(j in module.keys)) return;
  const [width, height] = sizeOf(module, side);
  const [across, down] = [width / module.keys.length, height / module.queries.length];
  for (const [colour, line] of [
    [background, 5],
    [text, 2],
  ] as const) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(x + j * across - 1, y + i * down - 1, across + 2, down + 2);
  }
  if (!hasWords || column > 0) return;
  const middle = y + (i + 0.5) * down;
  if (middle < y + 24) return; // the layer's name stands there
  context.font = `600 12px ${font}`;
  context.fillStyle = text;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(visible(module.queries[i]), x - 5, middle, ROW_LABEL - 6);
  context.textAlign = "left";
}

function paintThumbnail(
  context: Context,
  { module, layer, head, x, y }: Slot<ModuleMaps>,
  { side, strip, hasCaptions }: Thumbnails<ModuleMaps>,
  { look, labels, colouring, isSorted }: GlancePainting,
  pattern: CanvasPattern,
): void {
  const matrix = matrixOf(module, layer, head);
  const [width, height] = sizeOf(module, side);
  const cell = width / module.keys.length;
  context.fillStyle = pattern; // under the cells that stay clear
  context.fillRect(x, y, width, height);
  context.imageSmoothingEnabled = cell < 1;
  context.drawImage(imageOf(matrix), x, y, width, height);
  const value = colouring?.scoreOf(module, layer, head) ?? Number.NaN;
  let below = y + height + 2;
  if (colouring) {
    if (!Number.isNaN(value)) {
      context.fillStyle = cssOf(colouring.scale.pixelOf(value));
      context.fillRect(x, below, side, strip);
    }
    below += strip + 2;
  }
  if (!hasCaptions) return;
  below += FRAME;
  const place = isSorted ? fillText(labels.short_place, { layer: layer + 1, head: head + 1 }) : "";
  const number = shortNumber(value);
  context.fillStyle = look.text;
  context.globalAlpha = 0.85;
  const hasRoom = !place || textWidth(`${place} ${number}`, context.font) <= side;
  if (place) context.fillText(place, x, below);
  if (number && hasRoom) {
    context.textAlign = place ? "right" : "left";
    context.fillText(number, place ? x + side : x, below, side);
    context.textAlign = "left";
  }
  context.globalAlpha = 1;
}
