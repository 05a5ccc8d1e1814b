// Where the thumbnails lie: a block for each module, and in it a slot for each head. Sizes in CSS pixels.

const TITLE = 24;
const HEADING = 16;
const GAP = 8;
const BLOCK_GAP = 28;
const [SMALLEST, LARGEST, ENOUGH] = [26, 132, 64]; // sides of a slot; blocks stand side by side if slots get enough
const CAPTION = 14;
const STRIP = 5;
export const ROW_LABEL = 48;

export type PlaceOfHead = readonly [layer: number, head: number];
type Modules = readonly { readonly name: string; readonly layers: number }[];

export interface Slot<Module> {
  readonly module: Module;
  readonly layer: number;
  readonly head: number;
  readonly row: number;
  readonly column: number;
  readonly x: number;
  readonly y: number;
}

export interface Block<Module> {
  readonly module: Module;
  readonly x: number;
  readonly y: number;
  readonly slots: readonly Slot<Module>[];
}

export interface Thumbnails<Module> {
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly Block<Module>[];
  readonly side: number; // of a slot
  readonly pitch: { readonly x: number; readonly y: number }; // from one slot to the next
  readonly strip: number; // height of the coloured strip under it
}

// `ranks`: module name -> heads in the order shown, or null for rows of layers.
export function layOutThumbnails<Module extends Modules[number]>(
  modules: readonly Module[],
  heads: number,
  width: number,
  ranks: Readonly<Record<string, readonly PlaceOfHead[]>> | null,
  hasScore: boolean,
): Thumbnails<Module> {
  const label = ranks ? 0 : ROW_LABEL;
  const sideIn = (space: number) => Math.min(LARGEST, Math.floor((space - label) / heads) - GAP);
  let beside = modules.length;
  while (beside > 1 && sideIn((width - BLOCK_GAP * (beside - 1)) / beside) < ENOUGH) beside--;
  const side = Math.max(SMALLEST, sideIn((width - BLOCK_GAP * (beside - 1)) / beside));
  const pitch = { x: side + GAP, y: side + GAP + (hasScore ? STRIP + 2 : 0) + (hasScore || ranks ? CAPTION : 0) };
  const blockWidth = label + heads * pitch.x;
  const blocks: Block<Module>[] = [];
  let y = 0;
  for (let from = 0; from < modules.length; from += beside) {
    const line = modules.slice(from, from + beside);
    line.forEach((module, n) => {
      const x = n * (blockWidth + BLOCK_GAP);
      const order = ranks?.[module.name] ?? placesOf(module.layers, heads);
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
      blocks.push({ module, x, y, slots });
    });
    y += TITLE + HEADING + Math.max(...line.map(({ layers }) => layers)) * pitch.y + GAP;
  }
  const used = Math.min(beside, modules.length);
  return { width: used * blockWidth + (used - 1) * BLOCK_GAP, height: y, blocks, side, pitch, strip: STRIP };
}

export function placesOf(layers: number, heads: number): PlaceOfHead[] {
  return Array.from({ length: layers * heads }, (_, n) => [Math.floor(n / heads), n % heads] as const);
}

// A slot includes half of the gap around it and what stands under it.
export function slotAt<Module>({ blocks, pitch }: Thumbnails<Module>, x: number, y: number): Slot<Module> | null {
  const isIn = (offset: number, size: number) => offset >= -GAP / 2 && offset < size - GAP / 2;
  const slots = blocks.flatMap((block) => block.slots);
  return slots.find((slot) => isIn(x - slot.x, pitch.x) && isIn(y - slot.y, pitch.y)) ?? null;
}

// The next slot in a direction, across blocks; the same slot where there is none.
export function slotBeside<Module>(
  { blocks, side }: Thumbnails<Module>,
  from: Slot<Module>,
  [dx, dy]: readonly [number, number],
): Slot<Module> {
  const ahead = blocks
    .flatMap(({ slots }) => slots)
    .filter((slot) =>
      dx ? (slot.x - from.x) * dx > 0 && Math.abs(slot.y - from.y) < side : (slot.y - from.y) * dy > 0,
    );
  const distance = (slot: Slot<Module>) =>
    dx
      ? Math.abs(slot.x - from.x) + 10 * Math.abs(slot.y - from.y)
      : Math.abs(slot.y - from.y) + 10 * Math.abs(slot.x - from.x);
  return ahead.reduce((best, slot) => (distance(slot) < distance(best) ? slot : best), ahead[0] ?? from);
}
