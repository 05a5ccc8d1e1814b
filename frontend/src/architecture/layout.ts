// Where the boxes of Figure 1 stand. The data flow upwards, so positions count from the top of the drawing down.

export const WIDTH = 440;
export const HEIGHT = 760;
const WIDE = 132;
const [ENCODER, DECODER] = [120, 320]; // the middle lines of the two stacks

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
  readonly labelX: number; // where "N ×" stands
}

type Row = readonly [id: string, top: number, height: number, hue: string];

function column(middle: number, rows: readonly Row[]): Place[] {
  return rows.map(([id, top, height, hue]) => ({ id, x: middle - WIDE / 2, y: top, width: WIDE, height, hue }));
}

export const PLACES: readonly Place[] = [
  ...column(ENCODER, [
    ["source", 684, 44, "plain"],
    ["encoder_self", 530, 62, "encoder"],
    ["encoder_add_self", 486, 36, "plain"],
    ["encoder_ffn", 406, 50, "plain"],
    ["encoder_add_ffn", 362, 36, "plain"],
  ]),
  { id: "source_positions", x: 8, y: 612, width: 84, height: 44, hue: "plain" },
  { id: "memory", x: 76, y: 288, width: 88, height: 36, hue: "plain" },
  ...column(DECODER, [
    ["target", 684, 44, "plain"],
    ["decoder_self", 530, 62, "decoder"],
    ["decoder_add_self", 486, 36, "plain"],
    ["cross", 394, 62, "cross"],
    ["decoder_add_cross", 350, 36, "plain"],
    ["decoder_ffn", 268, 50, "plain"],
    ["decoder_add_ffn", 224, 36, "plain"],
    ["linear", 130, 44, "plain"],
    ["softmax", 62, 44, "plain"],
  ]),
  { id: "target_positions", x: 348, y: 612, width: 84, height: 44, hue: "plain" },
];

// The stacks of layers.
export const FRAMES: readonly Frame[] = [
  { stack: "encoder", x: 36, y: 350, width: 168, height: 254, labelX: 18 },
  { stack: "decoder", x: 236, y: 212, width: 168, height: 392, labelX: 422 },
];

// biome-ignore format: a table
export const PLUSES: readonly (readonly [x: number, y: number])[] = [[ENCODER, 634], [DECODER, 634]];

// Arrows, as paths. The short ones go from box to box; the round ones are the residual connections around a sub-layer.
// biome-ignore format: a table
export const ARROWS: readonly string[] = [
  ...up(ENCODER, [[740, 728], [684, 642], [626, 592], [530, 522], [486, 456], [406, 398], [362, 324]]),
  ...up(DECODER, [[740, 728], [684, 642], [626, 592], [530, 522], [486, 456], [394, 386], [350, 318], [268, 260], [224, 174], [130, 106], [62, 40]]),
  "M92 634 H110", "M348 634 H330", // positions to the plus
  "M164 306 H220 V425 H254", // the memory to the cross-attention
  around(ENCODER, -1, 610, 504), around(ENCODER, -1, 474, 380),
  around(DECODER, 1, 610, 504), around(DECODER, 1, 474, 368), around(DECODER, 1, 338, 242),
];

function up(x: number, segments: readonly (readonly [from: number, to: number])[]): string[] {
  return segments.map(([from, to]) => `M${x} ${from} V${to}`);
}

function around(middle: number, side: 1 | -1, from: number, to: number): string {
  const [outside, edge] = [middle + side * (WIDE / 2 + 9), middle + (side * WIDE) / 2];
  return `M${middle} ${from} H${outside} V${to} H${edge}`;
}
