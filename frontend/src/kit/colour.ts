// Colours for numbers and heads, and the hatching of masked cells.

import type { Context } from "./canvas.ts";
import { svgContextOf } from "./svg_context.ts";
import { isOnStage } from "./window.ts";

export type Colour = readonly number[]; // red, green, blue

export interface Scale {
  readonly ticks: readonly number[]; // the first and the last are the ends of the scale
  readonly stops: readonly (readonly [place: number, css: string])[]; // of a gradient, places in 0 … 1
  paints(value: number): boolean; // whether it has a colour for the value
  pixelOf(value: number): number; // of an ImageData: alpha, blue, green, red
  inkOn(value: number): string;
}

// Weights: a cividis-like map, dark blue (0) through grey to yellow (1), safe for colour-blind eyes and in grey print,
// as its lightness only rises. The same in the light and the dark theme.
// biome-ignore format: a table
const SEQUENTIAL = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [165, 156, 116], [195, 179, 105], [254, 232, 56],
];
// Scores: blue below zero, orange above it, the page's own lightness at zero.
// biome-ignore format: a table
const DIVERGING = {
  light: [[8, 62, 121], [74, 135, 189], [164, 200, 226], [244, 242, 236], [247, 200, 145], [217, 126, 46], [133, 62, 6]],
  dark: [[142, 202, 255], [70, 140, 200], [37, 78, 116], [36, 41, 48], [110, 68, 24], [202, 122, 40], [255, 190, 110]],
};
// Heads: told apart by colour-blind eyes (after Okabe & Ito and Tol), on light and on dark pages.
// biome-ignore format: a table
const HEADS = {
  light: [[0, 102, 170], [213, 94, 0], [0, 135, 100], [170, 51, 119], [150, 115, 0], [70, 70, 70], [60, 150, 200], [190, 60, 60]],
  dark: [[96, 178, 235], [240, 138, 60], [40, 195, 150], [226, 128, 186], [225, 190, 60], [190, 190, 190], [150, 215, 245], [245, 130, 120]],
};
const SIZE = 256;
const HATCH = 5; // CSS pixels between lines
let probe: OffscreenCanvasRenderingContext2D | null = null; // the context of one pixel

export const WEIGHTS: Scale = scale(SEQUENTIAL, 0, 1, [0, 0.5, 1]);

export function sequentialTo(high: number): Scale {
  return high === 1 ? WEIGHTS : scale(SEQUENTIAL, 0, high, [0, high / 2, high]);
}

export function divergingTo(extent: number, isDark: boolean): Scale {
  return scale(isDark ? DIVERGING.dark : DIVERGING.light, -extent, extent, [-extent, 0, extent]);
}

// One grey for all values: the numbers are read in the cells.
export function plain(isDark: boolean): Scale {
  const channels = isDark ? [52, 59, 68] : [226, 222, 210];
  return { ...scale([channels, channels], 0, 1, []), stops: [] };
}

function scale(anchors: readonly Colour[], low: number, high: number, ticks: readonly number[]): Scale {
  const pixels = new Uint32Array(SIZE);
  const isDarkInk = new Uint8Array(SIZE);
  for (let n = 0; n < SIZE; n++) {
    const position = (n / (SIZE - 1)) * (anchors.length - 1);
    const below = Math.min(Math.floor(position), anchors.length - 2);
    const [red, green, blue] = anchors[below].map((channel, c) =>
      Math.round(channel + (position - below) * (anchors[below + 1][c] - channel)),
    );
    pixels[n] = (255 << 24) | (blue << 16) | (green << 8) | red; // one pixel of an ImageData: alpha, blue, green, red
    isDarkInk[n] = Number(luminance(red, green, blue) > 0.179); // where black and white stand out equally
  }
  const indexOf = (value: number) =>
    Math.max(0, Math.min(SIZE - 1, Math.round(((value - low) / (high - low || 1)) * (SIZE - 1)))); // ±1 by rounding only
  return {
    ticks,
    stops: anchors.map((channels, i) => [i / (anchors.length - 1), `rgb(${channels})`]),
    paints: Number.isFinite,
    pixelOf: (value) => pixels[indexOf(value)],
    inkOn: (value) => (isDarkInk[indexOf(value)] ? "#000000" : "#ffffff"),
  };
}

// Relative luminance, as WCAG has it, of channels from 0 to 255.
function luminance(...channels: readonly number[]): number {
  const [red, green, blue] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// The colour of head n, from 0, as [red, green, blue]; after eight heads the colours repeat.
export function headColour(n: number, isDark: boolean): Colour {
  const colours = isDark ? HEADS.dark : HEADS.light;
  return colours[n % colours.length];
}

// A pixel of an ImageData: alpha, blue, green, red.
export function cssOf(pixel: number): string {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

export function cssGradient({ stops }: Pick<Scale, "stops">): string {
  return `linear-gradient(to right, ${stops.map(([, colour]) => colour)})`;
}

export function canvasGradient(context: Context, { stops }: Scale, from: number, to: number): CanvasGradient {
  const gradient = context.createLinearGradient(from, 0, to, 0);
  for (const [offset, colour] of stops) gradient.addColorStop(offset, colour);
  return gradient;
}

export function isDark(cssColour: string): boolean {
  probe ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  probe.fillStyle = cssColour;
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  return red + green + blue < 384;
}

// Diagonal lines, for cells that may not be attended to.
export function hatch(context: Context, colour: string, ratio: number): CanvasPattern {
  const side = Math.round(HATCH * ratio);
  const svg = svgContextOf(context);
  if (svg) return svg.tile(HATCH, (ink) => paintHatch(ink, HATCH, 1, colour)) as unknown as CanvasPattern;
  const tile = new OffscreenCanvas(side, side);
  paintHatch(tile.getContext("2d")!, side, ratio, colour);
  const pattern = context.createPattern(tile, "repeat")!;
  pattern.setTransform(new DOMMatrix().scale(1 / ratio)); // the tile is in device pixels, the context in CSS pixels
  return pattern;
}

function paintHatch(ink: Context, side: number, lineWidth: number, colour: string): void {
  ink.strokeStyle = colour;
  ink.globalAlpha = isOnStage() ? 0.7 : 0.45; // a projector is paler than a screen
  ink.lineWidth = lineWidth;
  for (const shift of [-side, 0, side]) {
    ink.beginPath();
    ink.moveTo(shift - 1, side + 1);
    ink.lineTo(shift + side + 1, -1);
    ink.stroke();
  }
}
