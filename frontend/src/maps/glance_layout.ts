// @ts-nocheck
// Where the thumbnails lie: one block for each module, in it one slot for each head. Sizes in CSS pixels.

const [TITLE, HEADING, GAP, BLOCK_GAP] = [24, 16, 8, 28];
const [SMALLEST, LARGEST, ENOUGH] = [26, 132, 64]; // sides of a slot; blocks stand side by side where there is enough
const [CAPTION, STRIP] = [14, 5];
export const ROW_LABEL = 48;

// `ranks`: module name -> [layer, head] pairs in the order shown, or null for rows of layers.
// -> {width, height, blocks: [{module, x, y, side, slots}]}; a slot: {module, layer, head, row, column, x, y}
export function layOutThumbnails(modules, heads, width, ranks, hasScore) {
  const label = ranks ? 0 : ROW_LABEL;
  const sideIn = (space) => Math.min(LARGEST, Math.floor((space - label) / heads) - GAP);
  let beside = modules.length;
  while (beside > 1 && sideIn((width - BLOCK_GAP * (beside - 1)) / beside) < ENOUGH) beside--;
  const side = Math.max(SMALLEST, sideIn((width - BLOCK_GAP * (beside - 1)) / beside));
  const pitch = { x: side + GAP, y: side + GAP + (hasScore ? STRIP + 2 : 0) + (hasScore || ranks ? CAPTION : 0) };
  const blockWidth = label + heads * pitch.x;
  const blocks = [];
  let y = 0;
  for (let from = 0; from < modules.length; from += beside) {
    const line = modules.slice(from, from + beside);
    line.forEach((module, n) => {
      const x = n * (blockWidth + BLOCK_GAP);
      const order = ranks?.[module.name] ?? placesOf(module, heads);
      const slots = order.map(([layer, head], rank) => {
        const [row, column] = ranks ? [Math.floor(rank / heads), rank % heads] : [layer, head];
        return {
          module,
          layer,
          head,
          row,
          column,
          x: x + label + column * pitch.x,
          y: y + TITLE + HEADING + row * pitch.y,
        };
      });
      blocks.push({ module, x, y, side, slots });
    });
    y += TITLE + HEADING + Math.max(...line.map(({ layers }) => layers)) * pitch.y + GAP;
  }
  const used = Math.min(beside, modules.length);
  return { width: used * blockWidth + (used - 1) * BLOCK_GAP, height: y, blocks, side, strip: STRIP, blockWidth };
}

export function placesOf({ layers }, heads) {
  return Array.from({ length: layers * heads }, (_, n) => [Math.floor(n / heads), n % heads]);
}

export function slotAt({ blocks, side }, x, y) {
  const reach = side + GAP / 2;
  for (const { slots } of blocks) {
    const slot = slots.find(
      (one) => x >= one.x - GAP / 2 && x < one.x + reach && y >= one.y - GAP / 2 && y < one.y + reach + STRIP + CAPTION,
    );
    if (slot) return slot;
  }
  return null;
}

// The next slot in a direction, over the borders of the blocks; the same one where there is none.
export function slotBeside({ blocks, side }, from, [dx, dy]) {
  const ahead = blocks
    .flatMap(({ slots }) => slots)
    .filter((slot) =>
      dx ? (slot.x - from.x) * dx > 0 && Math.abs(slot.y - from.y) < side : (slot.y - from.y) * dy > 0,
    );
  const distance = (slot) =>
    dx
      ? Math.abs(slot.x - from.x) + 10 * Math.abs(slot.y - from.y)
      : Math.abs(slot.y - from.y) + 10 * Math.abs(slot.x - from.x);
  return ahead.reduce((best, slot) => (!best || distance(slot) < distance(best) ? slot : best), null) ?? from;
}
