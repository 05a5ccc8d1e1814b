// What colour a number has, worked out anew from the tables of colours.

import assert from "node:assert/strict";

type Colour = readonly number[];

// biome-ignore format: a table
const WEIGHTS: readonly Colour[] = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115],
  [138, 134, 120], [165, 156, 116], [195, 179, 105], [254, 232, 56],
];
// biome-ignore format: a table
const SIGNED: readonly Colour[] = [
  [8, 62, 121], [74, 135, 189], [164, 200, 226], [244, 242, 236], [247, 200, 145], [217, 126, 46], [133, 62, 6],
];
export const HEADS: readonly Colour[] = [
  [0, 102, 170],
  [213, 94, 0],
  [0, 135, 100],
  [170, 51, 119],
];

// Of a number from 0 to `high`: dark blue to yellow.
export function weightColour(value: number, high = 1): Colour {
  return between(WEIGHTS, value / high);
}

// Of a number from -extent to extent on a light page: blue, paper, orange.
export function signedColour(value: number, extent: number): Colour {
  return between(SIGNED, (value + extent) / (2 * extent));
}

// `actual`: channels, or a CSS colour. Scales have 256 steps.
export function assertColour(actual: Colour | unknown, expected: Colour, where: string): void {
  const channels = Array.isArray(actual) ? actual : (String(actual).match(/[\d.]+/g) ?? []).map(Number);
  assert.ok(channels.length >= 3, `${where}: ${String(actual)} is no colour`);
  expected.forEach((channel, c) => {
    assert.ok(Math.abs(channels[c] - channel) <= 2, `${where}: ${channels} and not ${expected.map(Math.round)}`);
  });
}

function between(table: readonly Colour[], share: number): Colour {
  const at = share * (table.length - 1);
  const below = Math.min(Math.floor(at), table.length - 2);
  return table[below].map((channel, c) => channel + (at - below) * (table[below + 1][c] - channel));
}
