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

// Top and bottom of what is no box, but has arrows.
const [INPUT, PLUS, RESULT]: readonly Stop[] = [[740, 740], [626, 642], [40, 40]]; // biome-ignore format: a table

type Stop = readonly [top: number, bottom: number];

// The arrows beside the columns, by the box that they belong to. The round ones are the residual connections.
const BESIDE: Readonly<Record<string, string>> = {
  source_positions: "M92 634 H110",
  target_positions: "M348 634 H330",
  cross: "M164 306 H220 V425 H254", // from the memory
  encoder_add_self: around(ENCODER, -1, 610, 504),
  encoder_add_ffn: around(ENCODER, -1, 474, 380),
  decoder_add_self: around(DECODER, 1, 610, 504),
  decoder_add_cross: around(DECODER, 1, 474, 368),
  decoder_add_ffn: around(DECODER, 1, 338, 242),
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
  const [outside, edge] = [middle + side * (WIDE / 2 + 9), middle + (side * WIDE) / 2];
  return `M${middle} ${from} H${outside} V${to} H${edge}`;
}
