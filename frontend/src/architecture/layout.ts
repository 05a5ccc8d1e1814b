// Where the boxes of Figure 1 stand. The data flow upwards, so positions count from the top of the drawing down.

// As wide as a phone can still show, and as high as a projector.
export const WIDTH = 480;
export const HEIGHT = 578;
const WIDE = 192;
const [ENCODER, DECODER] = [116, 364]; // the middle lines of the two stacks

export interface Place {
  readonly id: string; // of a box
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly hue: string;
}

export interface Frame extends Omit<Place, "id" | "hue"> {
  readonly stack: string;
  readonly labelX: number; // the middle of "N ×"
  readonly labelY: number;
}

type Row = readonly [id: string, top: number, height: number, hue: string];

function column(middle: number, rows: readonly Row[]): Place[] {
  return rows.map(([id, top, height, hue]) => ({ id, x: middle - WIDE / 2, y: top, width: WIDE, height, hue }));
}

export const PLACES: readonly Place[] = [
  ...column(ENCODER, [
    ["source", 499, 38, "plain"],
    ["encoder_self", 390, 38, "encoder"],
    ["encoder_add_self", 346, 34, "plain"],
    ["encoder_ffn", 290, 38, "plain"],
    ["encoder_add_ffn", 246, 34, "plain"],
  ]),
  { id: "source_positions", x: 4, y: 447, width: 84, height: 48, hue: "plain" },
  { id: "memory", x: 66, y: 174, width: 100, height: 36, hue: "plain" },
  ...column(DECODER, [
    ["target", 499, 38, "plain"],
    ["decoder_self", 390, 38, "decoder"],
    ["decoder_add_self", 346, 34, "plain"],
    ["cross", 290, 38, "cross"],
    ["decoder_add_cross", 246, 34, "plain"],
    ["decoder_ffn", 190, 38, "plain"],
    ["decoder_add_ffn", 146, 34, "plain"],
    ["linear", 86, 38, "plain"],
    ["softmax", 36, 38, "plain"],
  ]),
  { id: "target_positions", x: 392, y: 447, width: 84, height: 48, hue: "plain" },
];

// The stacks of layers. "N ×" stands in the corner that no residual connection goes through.
export const FRAMES: readonly Frame[] = [
  { stack: "encoder", x: 4, y: 236, width: 224, height: 210, labelX: 204, labelY: 437 },
  { stack: "decoder", x: 252, y: 136, width: 224, height: 310, labelX: 276, labelY: 437 },
];

// biome-ignore format: a table
export const PLUSES: readonly (readonly [x: number, y: number])[] = [[ENCODER, 470], [DECODER, 470]];

// Top and bottom of what has arrows without being a box.
const [INPUT, PLUS, RESULT]: readonly Stop[] = [[552, 552], [462, 478], [24, 24]]; // biome-ignore format: a table

type Stop = readonly [top: number, bottom: number];

// The arrows beside the columns, by the box that they belong to. Those made by `around` are the residual connections.
const BESIDE: Readonly<Record<string, string>> = {
  source_positions: "M88 470 H106",
  target_positions: "M392 470 H374",
  cross: "M166 192 H240 V309 H268", // from the memory
  encoder_add_self: around(ENCODER, -1, 437, 363),
  encoder_add_ffn: around(ENCODER, -1, 337, 263),
  decoder_add_self: around(DECODER, 1, 437, 363),
  decoder_add_cross: around(DECODER, 1, 337, 263),
  decoder_add_ffn: around(DECODER, 1, 237, 163),
};

// The arrows between the boxes `ids`, as paths: where a model lacks a box, the arrow goes on to the next.
export function arrows(ids: readonly string[]): string[] {
  const places = PLACES.filter(({ id }) => ids.includes(id));
  return [
    ...up(ENCODER, places, [INPUT, PLUS]),
    ...up(DECODER, places, [INPUT, PLUS, RESULT]),
    ...ids.flatMap((id) => BESIDE[id] ?? []),
  ];
}

function up(middle: number, places: readonly Place[], others: readonly Stop[]): string[] {
  const boxes = places.filter(({ x, width }) => x + width / 2 === middle);
  const stops = [...boxes.map(({ y, height }): Stop => [y, y + height]), ...others].sort(([a], [b]) => b - a);
  return stops.slice(1).map(([, bottom], below) => `M${middle} ${stops[below][0]} V${bottom}`);
}

function around(middle: number, side: 1 | -1, from: number, to: number): string {
  const [outside, edge] = [middle + side * (WIDE / 2 + 8), middle + (side * WIDE) / 2];
  return `M${middle} ${from} H${outside} V${to} H${edge}`;
}
