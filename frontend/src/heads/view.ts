// What the components of the page Heads show, see view.py.

import type { Axes } from "../maps/maps.ts";
import type { GlanceView } from "../maps/view.ts";

export type Side = "query" | "key";
export type Token = readonly [side: Side, place: number];

export interface HeadsView extends GlanceView {
  readonly heads: readonly number[]; // that have arcs
  readonly token: Token | null; // whose attention is highlighted
  readonly threshold: number; // arcs with less weight are hidden
  readonly words: boolean; // subwords are merged
  readonly nosinks: boolean; // start, end and punctuation are hidden as keys
}

export type Change = (part: Partial<HeadsView>) => void;

export function tokensOf({ queries, keys }: Axes, side: Side): readonly string[] {
  return side === "query" ? queries : keys;
}

// What each token is called: a row of the decoder goes by the token that it writes.
export function namesOf(axes: Axes, side: Side): readonly string[] {
  return side === "query" && axes.predicted.length ? axes.predicted : tokensOf(axes, side);
}

export function otherSide(side: Side): Side {
  return side === "query" ? "key" : "query";
}
