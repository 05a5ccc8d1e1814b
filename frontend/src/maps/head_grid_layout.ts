// Where the thumbnails lie: a block for each module, and in it a slot for each head. Sizes in CSS pixels.

const TITLE = 24;
const HEADING = 18;
const GAP = 8;
const BLOCK_GAP = 28;
const [TINY, TINY_GAP] = [20, 4]; // of slots that shrink so that all heads are seen
const [SMALLEST, LARGEST, HUGE, ENOUGH] = [26, 132, 220, 64]; // sides of a slot; blocks stand side by side if slots get enough
const CAPTION = 18;
const STRIP = 5;
export const ROW_LABEL = 48;

export type PlaceOfHead = readonly [layer: number, head: number];
type Modules = readonly { readonly name: string; readonly layers: number; readonly heads: number }[];

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
  readonly hasCaptions: boolean; // numbers below
}

// How many blocks stand side by side, and in each of them how many layers.
interface Grid {
  readonly beside: number;
  readonly across: number;
}

// Heads that would have to be scrolled shrink until all of them are seen, and then have no numbers below. `ranks`:
// module name -> heads in the order shown, or null for rows of layers. `height`: that there is; if it is finite, slots
// are as large as fits.
export function layOutThumbnails<Module extends Modules[number]>(
  modules: readonly Module[],
  width: number,
  ranks: Readonly<Record<string, readonly PlaceOfHead[]>> | null,
  hasScore: boolean,
  height = Number.POSITIVE_INFINITY,
): Thumbnails<Module> {
  const label = ranks ? 0 : ROW_LABEL;
  const columns = Math.max(...modules.map(({ heads }) => heads)); // of a block, so that all have slots of one size
  const isFitted = Number.isFinite(height);
  const most = isFitted ? HUGE : LARGEST;
  const strip = hasScore ? STRIP + 2 : 0;
  const bare = TINY_GAP + strip;
  const captioned = GAP + strip + (hasScore || ranks ? CAPTION : 0);
  const widthOf = ({ beside }: Grid) => (width - BLOCK_GAP * (beside - 1)) / beside;
  const linesOf = ({ beside, across }: Grid) =>
    chunks(modules, beside).map((line) => Math.max(...line.map(({ layers }) => Math.ceil(layers / across))));
  const sideByWidth = (grid: Grid, gap: number) => Math.floor((widthOf(grid) / grid.across - label) / columns) - gap;
  const sideByHeight = (grid: Grid, below: number) => {
    const lines = linesOf(grid);
    const rows = lines.reduce((sum, count) => sum + count, 0);
    return Math.floor((height - lines.length * (TITLE + HEADING + GAP)) / rows) - below;
  };
  const all = grids(modules);
  const readable = (one: Grid) => Math.min(most, sideByWidth(one, GAP), Math.max(ENOUGH, sideByHeight(one, captioned)));
  const small = (one: Grid) => Math.min(sideByWidth(one, TINY_GAP), sideByHeight(one, bare));
  const readableGrid = largest(all, readable);
  const isSmall =
    isFitted &&
    !ranks &&
    readable(readableGrid) > sideByHeight(readableGrid, captioned) &&
    small(largest(all, small)) >= TINY;
  const under = isSmall ? bare : captioned;
  const sideIn = isSmall ? small : readable;
  const grid = isFitted
    ? largest(all, sideIn)
    : { beside: mostBeside(modules.length, (beside) => sideByWidth({ beside, across: 1 }, GAP)), across: 1 };
  const { beside, across } = grid;
  const side = Math.max(isSmall ? TINY : SMALLEST, sideIn(grid));
  const pitch = { x: side + (isSmall ? TINY_GAP : GAP), y: side + under };
  const layerWidth = label + columns * pitch.x;
  const blockWidth = across * layerWidth;
  const blocks: Block<Module>[] = [];
  let y = 0;
  for (const line of chunks(modules, beside)) {
    line.forEach((module, n) => {
      const x = n * (blockWidth + BLOCK_GAP);
      const order = ranks?.[module.name] ?? placesOf(module);
      const slots = order.map(([layer, head], rank) => {
        const [nth, column] = ranks ? [Math.floor(rank / columns), rank % columns] : [layer, head];
        const row = Math.floor(nth / across);
        return {
          module,
          layer,
          head,
          row,
          column,
          x: x + (nth % across) * layerWidth + label + column * pitch.x,
          y: y + TITLE + HEADING + row * pitch.y,
        };
      });
      blocks.push({ module, x, y, slots });
    });
    y += TITLE + HEADING + Math.max(...line.map(({ layers }) => Math.ceil(layers / across))) * pitch.y + GAP;
  }
  const used = Math.min(beside, modules.length);
  return {
    width: used * blockWidth + (used - 1) * BLOCK_GAP,
    height: y,
    blocks,
    side,
    pitch,
    strip: STRIP,
    hasCaptions: !isSmall,
  };
}

function grids(modules: Modules): Grid[] {
  const most = Math.max(...modules.map(({ layers }) => layers));
  const all = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
  return all(most).flatMap((across) => all(modules.length).map((beside) => ({ beside, across })));
}

function largest(all: readonly Grid[], size: (grid: Grid) => number): Grid {
  return all.reduce((best, one) => (size(one) > size(best) ? one : best));
}

// The most blocks side by side whose slots are still large enough.
function mostBeside(count: number, side: (beside: number) => number): number {
  let beside = count;
  while (beside > 1 && side(beside) < ENOUGH) beside--;
  return beside;
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

export function placesOf({ layers, heads }: Pick<Modules[number], "layers" | "heads">): PlaceOfHead[] {
  return Array.from({ length: layers * heads }, (_, n) => [Math.floor(n / heads), n % heads] as const);
}

// A slot includes half of the gap around it and what stands under it.
export function slotAt<Module>({ blocks, pitch }: Thumbnails<Module>, x: number, y: number): Slot<Module> | null {
  const isIn = (offset: number, size: number) => offset >= -TINY_GAP / 2 && offset < size - TINY_GAP / 2;
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
