// Which arcs are drawn, and how much weight is left out.

import { type Colour, headColour } from "../kit/colour.ts";
import type { ModuleMaps } from "../maps/maps.ts";
import { type ArcsLayout, middleOf } from "./arcs_layout.ts";
import type { ArcsOfHead, DrawnArcs } from "./arcs_raster.ts";
import type { Token } from "./view.ts";

const FARTHEST = 2.5; // CSS pixels at most between the lines of two heads

// The heads of a layer, with their lines side by side.
export function headsOf(
  module: ModuleMaps,
  layer: number,
  heads: readonly number[],
  rowHeight: number,
  isDark: boolean,
): ArcsOfHead[] {
  const { size } = module;
  const codes = module.codesIn(layer);
  const apart = Math.min(FARTHEST, (0.7 * rowHeight) / heads.length);
  return heads.map((head, place) => ({
    codes: codes.subarray(head * size, (head + 1) * size),
    colour: headColour(head, isDark) as Colour,
    shift: (place - (heads.length - 1) / 2) * apart,
  }));
}

// One arc for each cell that may be attended to, of all tokens or of one.
export function arcsOf(
  module: ModuleMaps,
  layer: number,
  layout: ArcsLayout,
  token: Token | null = null,
): Pick<DrawnArcs, "starts" | "ends" | "cells"> {
  const mask = module.maskIn(layer);
  const starts: number[] = [];
  const ends: number[] = [];
  const cells: number[] = [];
  for (let i = 0, cell = 0; i < module.queries.length; i++) {
    for (let j = 0; j < module.keys.length; j++, cell++) {
      if (!mask[cell] || (token && (token[0] === "query" ? i : j) !== token[1])) continue;
      starts.push(middleOf(layout, i));
      ends.push(middleOf(layout, j));
      cells.push(cell);
    }
  }
  return { starts, ends, cells };
}

// -> how many weights are at least `least`, and what share of all weight the others hold.
export function hiddenBelow(
  least: number,
  heads: readonly Pick<ArcsOfHead, "codes">[],
): [count: number, share: number] {
  let [count, shown, whole] = [0, 0, 0];
  for (const { codes } of heads) {
    for (const code of codes) {
      whole += code;
      if (code < least) continue;
      shown += code;
      count += 1;
    }
  }
  return [count, whole === 0 ? 0 : 1 - shown / whole];
}
