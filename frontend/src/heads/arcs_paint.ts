// Paints the tokens beside the arcs, and which of them are highlighted.

import type { Context } from "../kit/canvas.ts";
import { type Colour, headColour } from "../kit/colour.ts";
import type { Labels } from "../kit/component.ts";
import { fillText } from "../kit/dom.ts";
import type { Look } from "../kit/look.ts";
import { shorten, textWidth } from "../kit/tokens.ts";
import type { ModuleMaps } from "../maps/maps.ts";
import { indexFont } from "../matrix/layout.ts";
import { type ArcsLayout, middleOf } from "./arcs_layout.ts";
import { largestOf, namedRows } from "./rows.ts";
import { otherSide, type Side, type Token, tokensOf } from "./view.ts";

const FAINT = 0.0001; // weights below it, written as 0.0000 or 0.0001, are faint

export type LookOfTokens = Pick<Look, "text" | "accent" | "font">;
export type NamesOfSides = Readonly<Record<Side, string>> & { readonly read?: string };
export type Named = Readonly<Record<Side, ReadonlySet<number>>>;

const STRONGEST = 12; // tokens that are named first, where not all are

// The tokens that have a text: all, where there is room, or else the one that is lit and those with its largest weights.
export function namedTokens(
  { counts, rowHeight }: ArcsLayout,
  module: ModuleMaps,
  layer: number,
  heads: readonly number[],
  lit: Token | null,
): Named {
  if (!lit) return { query: namedRows(counts.query, rowHeight), key: namedRows(counts.key, rowHeight) };
  const [side, place] = lit;
  const other = otherSide(side);
  const most = Array.from({ length: counts[other] }, (_, t) =>
    Math.max(...heads.map((head) => module.weightsOf(layer, head)[cellOf(module, lit, t)])),
  );
  const named = { query: new Set<number>(), key: new Set<number>() } as Record<Side, ReadonlySet<number>>;
  named[side] = namedRows(counts[side], rowHeight, [place]);
  named[other] = namedRows(counts[other], rowHeight, largestOf(most, STRONGEST));
  return named;
}

// `names`: the names of the two sides, and of what the rows of the decoder have read.
export function paintTokens(
  context: Context,
  layout: ArcsLayout,
  module: Pick<ModuleMaps, "queries" | "keys" | "predicted">,
  lit: Token | null,
  look: LookOfTokens,
  names: NamesOfSides,
  named: Named = {
    query: namedRows(layout.counts.query, layout.rowHeight),
    key: namedRows(layout.counts.key, layout.rowHeight),
  },
): void {
  const { arcs, gap } = layout;
  const isWriting = module.predicted.length > 0;
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  context.font = `12px ${look.font}`;
  context.globalAlpha = 0.8;
  // A side's name stands above its tokens; a longer one reaches over the arcs, up to their middle.
  const middle = arcs.x + arcs.width / 2;
  const queryEnd = Math.min(middle - gap, Math.max(arcs.x - gap, textWidth(names.query, context.font)));
  const keyStart = Math.min(arcs.x + arcs.width + gap, layout.width - textWidth(names.key, context.font));
  context.textAlign = "right";
  context.fillText(names.query, queryEnd, 9, middle - gap);
  context.textAlign = "left";
  context.fillText(names.key, Math.max(middle + gap, keyStart), 9, layout.width - middle - gap);
  if (isWriting) {
    const end = queryEnd - textWidth(names.query, context.font) - gap;
    context.textAlign = "right";
    context.fillText(names.read ?? "", Math.min(end, arcs.x - gap - layout.left - gap), 9, Math.max(1, end));
    paintRead(context, layout, module.queries, look, named.query);
  }
  paintSide(context, layout, "query", isWriting ? module.predicted : module.queries, lit, look, named.query);
  paintSide(context, layout, "key", module.keys, lit, look, named.key);
  context.globalAlpha = 1;
}

// What each row of the decoder has read, fainter than what it writes.
function paintRead(
  context: Context,
  layout: ArcsLayout,
  tokens: readonly string[],
  look: LookOfTokens,
  named: ReadonlySet<number>,
): void {
  const { arcs, gap, left, fontSize, labelMax } = layout;
  const font = `${fontSize}px ${look.font}`;
  context.font = font;
  context.textAlign = "right";
  context.direction = "ltr";
  context.globalAlpha = 0.7;
  tokens.forEach((token, place) => {
    if (!named.has(place)) return;
    context.fillText(shorten(token, font, labelMax).text, arcs.x - 2 * gap - left, arcs.y + middleOf(layout, place));
  });
}

// All numbers, then all tokens: changing a canvas's font is slow.
function paintSide(
  context: Context,
  layout: ArcsLayout,
  side: Side,
  tokens: readonly string[],
  lit: Token | null,
  look: LookOfTokens,
  named: ReadonlySet<number>,
): void {
  const { arcs, gap, fontSize, labelMax, indexWidth } = layout;
  const high = Math.max(layout.rowHeight, fontSize + 4);
  const sign = side === "query" ? -1 : 1;
  const x = side === "query" ? arcs.x - gap : arcs.x + arcs.width + gap;
  const y = (place: number) => arcs.y + middleOf(layout, place);
  const font = `${fontSize}px ${look.font}`;
  context.fillStyle = look.text;
  context.textAlign = sign < 0 ? "right" : "left";
  context.direction = "ltr";
  context.font = `${indexFont()}px ${look.font}`;
  context.globalAlpha = 0.7;
  for (const place of named) context.fillText(String(place + 1), x, y(place) + 1);
  context.font = font;
  context.globalAlpha = 1;
  const widths = tokens.map((token, place) => {
    const { text, width } = shorten(token, font, labelMax);
    if (named.has(place)) context.fillText(text, x + sign * indexWidth, y(place));
    return width;
  });
  if (lit?.[0] !== side) return;
  const length = widths[lit[1]] + indexWidth + 6;
  context.strokeStyle = look.accent;
  context.lineWidth = 1.5;
  context.strokeRect(sign < 0 ? x - length + 2 : x - 2, y(lit[1]) - high / 2 + 1, length, high - 2);
}

// Opposite the highlighted token: a box for each head, as opaque as its weight, and beside it the numbers.
export function paintLit(
  context: Context,
  layout: ArcsLayout,
  module: ModuleMaps,
  layer: number,
  heads: readonly number[],
  lit: Token,
  look: Pick<Look, "text" | "font" | "isDark">,
  labels: Labels,
  named: Named = namedTokens(layout, module, layer, heads, lit),
): void {
  const { arcs, gap, read, left, right, rowHeight, numbers, numberWidth } = layout;
  const between = rowHeight > 4 ? 2 : 0; // of the boxes of two rows
  const other = otherSide(lit[0]);
  const [x, width] =
    other === "key"
      ? [arcs.x + arcs.width + 2, right + 2 * gap - 4]
      : [arcs.x - left - 2 * gap + 2, left + 2 * gap - 4];
  const box = width / heads.length;
  const numberX = (n: number) =>
    other === "key" ? x + width + gap + (n + 1) * numberWidth - 6 : x - read - gap - n * numberWidth;
  const mask = module.maskIn(layer);
  context.textAlign = "right";
  context.textBaseline = "middle";
  heads.forEach((head, n) => {
    const weights = module.weightsOf(layer, head);
    const colour = cssOf(headColour(head, look.isDark));
    if (n < numbers) {
      context.fillStyle = colour;
      context.font = `600 12px ${look.font}`;
      context.fillText(fillText(labels.head_n, { head: head + 1 }), numberX(n), arcs.y - 10, numberWidth - 2);
    }
    tokensOf(module, other).forEach((_, t) => {
      const cell = cellOf(module, lit, t);
      if (!mask[cell]) return;
      const y = arcs.y + middleOf(layout, t);
      context.fillStyle = colour;
      context.globalAlpha = 0.75 * weights[cell];
      context.fillRect(x + n * box, y - (rowHeight - between) / 2, box, rowHeight - between);
      context.globalAlpha = 1;
      if (n >= numbers || !named[other].has(t)) return;
      context.font = `${Math.min(14, layout.fontSize)}px ${look.font}`;
      context.fillStyle = look.text;
      context.globalAlpha = weights[cell] < FAINT ? 0.45 : 1;
      context.fillText(weights[cell].toFixed(4), numberX(n), y);
      context.globalAlpha = 1;
    });
  });
}

// The index in (T, S) of the weight between a token and the one at `other` on the other side.
export function cellOf({ keys }: Pick<ModuleMaps, "keys">, [side, place]: Token, other: number): number {
  return side === "query" ? place * keys.length + other : other * keys.length + place;
}

export function cssOf(colour: Colour): string {
  return `rgb(${colour})`;
}
