// @ts-nocheck
// The tokens of the head view, and what is lit among them.

import { headColour } from "../kit/colour.ts";
import { fillText } from "../kit/dom.ts";
import { shorten, textWidth } from "../kit/tokens.ts";
import { isAllowed } from "../matrix/words.ts";

export function paintTokens(context, layout, module, lit, look, [queryName, keyName]) {
  const { arcs, gap } = layout;
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  context.font = `11px ${look.font}`;
  context.globalAlpha = 0.75;
  // Above its tokens, or, where there is no room, reaching over the arcs up to their middle.
  const middle = arcs.x + arcs.width / 2;
  const room = { query: middle - gap, key: layout.width - middle - gap };
  context.textAlign = "right";
  context.fillText(
    queryName,
    Math.min(middle - gap, Math.max(arcs.x - gap, textWidth(queryName, context.font))),
    9,
    room.query,
  );
  context.textAlign = "left";
  const keyStart = Math.min(arcs.x + arcs.width + gap, layout.width - textWidth(keyName, context.font));
  context.fillText(keyName, Math.max(middle + gap, keyStart), 9, room.key);
  paintSide(context, layout, "query", module.queries, lit, look);
  paintSide(context, layout, "key", module.keys, lit, look);
  context.globalAlpha = 1;
}

// All numbers, then all tokens: to change a canvas's font is slow.
function paintSide(context, layout, side, tokens, lit, look) {
  const { arcs, gap, fontSize, labelMax, indexWidth, rowHeight, middle } = layout;
  const litPlace = lit?.[0] === side ? lit[1] : null;
  const sign = side === "query" ? -1 : 1;
  const x = side === "query" ? arcs.x - gap : arcs.x + arcs.width + gap;
  const y = (place) => arcs.y + middle(place);
  const font = `${fontSize}px ${look.font}`;
  const write = (place) => {
    const { text, width } = shorten(tokens[place], font, labelMax);
    context.fillText(text, x + sign * indexWidth, y(place));
    return width;
  };
  Object.assign(context, { fillStyle: look.text, textAlign: sign < 0 ? "right" : "left", direction: "ltr" });
  Object.assign(context, { font: `9px ${look.font}`, globalAlpha: 0.6 });
  tokens.forEach((_, place) => context.fillText(String(place + 1), x, y(place) + 1));
  Object.assign(context, { font, globalAlpha: 1 });
  const widths = tokens.map((_, place) => write(place));
  if (litPlace === null) return;
  const length = widths[litPlace] + indexWidth + 6;
  context.strokeStyle = look.accent;
  context.lineWidth = 1.5;
  context.strokeRect(sign < 0 ? x - length + 2 : x - 2, y(litPlace) - rowHeight / 2 + 1, length, rowHeight - 2);
}

// On the other side of the lit token: a box for each head, as opaque as its weight, and beside it the numbers.
export function paintLit(context, layout, module, matrices, lit, look, isOnDark, labels) {
  const [side, place] = lit;
  const { arcs, gap, left, right, rowHeight, numbers, numberWidth, middle } = layout;
  const other = side === "query" ? "key" : "query";
  const tokens = other === "key" ? module.keys : module.queries;
  const [x, width] =
    other === "key"
      ? [arcs.x + arcs.width + 2, right + 2 * gap - 4]
      : [arcs.x - left - 2 * gap + 2, left + 2 * gap - 4];
  const numberX = (n) => (other === "key" ? x + width + gap + (n + 1) * numberWidth - 6 : x - gap - n * numberWidth);
  context.textAlign = "right";
  context.textBaseline = "middle";
  matrices.forEach((matrix, n) => {
    const colour = `rgb(${headColour(matrix.head, isOnDark)})`;
    if (n < numbers) {
      context.fillStyle = colour;
      context.font = `600 10px ${look.font}`;
      context.fillText(fillText(labels.head_n, { head: matrix.head + 1 }), numberX(n), arcs.y - 10, numberWidth - 2);
    }
    tokens.forEach((_, t) => {
      if (!allowed(matrix, side, place, t)) return;
      const weight = weightOf(matrix, side, place, t);
      const y = arcs.y + middle(t);
      context.fillStyle = colour;
      context.globalAlpha = 0.75 * weight;
      context.fillRect(
        x + (n * width) / matrices.length,
        y - rowHeight / 2 + 1,
        width / matrices.length,
        rowHeight - 2,
      );
      context.globalAlpha = 1;
      if (n >= numbers) return;
      context.font = `11px ${look.font}`;
      context.fillStyle = look.text;
      context.globalAlpha = weight < 0.0001 ? 0.45 : 1;
      context.fillText(weight.toFixed(4), numberX(n), y);
      context.globalAlpha = 1;
    });
  });
}

// Between the token at `place` of one side and the token `other` of the other side.
export function weightOf({ values, keys }, side, place, other) {
  return side === "query" ? values[place * keys.length + other] : values[other * keys.length + place];
}

export function allowed(matrix, side, place, other) {
  return side === "query" ? isAllowed(matrix, place, other) : isAllowed(matrix, other, place);
}
