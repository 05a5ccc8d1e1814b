// A matrix as matrix_view.py sends it.

import type { Content } from "../../src/matrix/sheet.ts";
import { tensor } from "../maps/sent.ts";

type SentMatrix = Content["sheets"][number]["matrices"][number];

export const ROWS = ["<s>", "$x$"];
export const COLUMNS = ["a", "b\tc", "b"];
// biome-ignore format: a matrix
export const VALUES = [
  0.1, -2, 1 / 3,
  7.5, 0.25, 1e-12,
];
// biome-ignore format: a matrix
export const MASK = [
  1, 1, 1,
  0, 1, 1,
];

export function sentMatrix(changes: Partial<SentMatrix> = {}): SentMatrix {
  return {
    name: "scores",
    title: "Scores",
    note: "",
    rowAxis: "query",
    columnAxis: "key",
    rowEndsAxis: "",
    scaleName: "score",
    isPinnable: true,
    slugs: "",
    firstIndex: 1,
    kind: "diverging",
    extent: 0,
    hue: "plain",
    values: tensor(Float32Array.from(VALUES), 2, 3),
    mask: tensor(Uint8Array.from(MASK), 2, 3),
    rowLabels: ROWS,
    columnLabels: COLUMNS,
    rowEnds: [],
    ...changes,
  };
}
