// What the decoding component says about a node of the tree, and about the causal mask.

import { type Child, fillNodes, fillText, type Labels } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";
import type { Matrix, Words } from "../matrix/matrix.ts";
import { isAllowed } from "../matrix/words.ts";
import type { Candidate, Search } from "./search.ts";

// Sums and scores with their sign as a minus, as everywhere.
export function shortNumber(value: number): string {
  return value.toFixed(2).replace("-", "−");
}

// Why a node was kept or lost.
export function whyNodes(search: Search, node: Candidate, labels: Labels): Child[] {
  const number = (value: number | null | undefined) => (value === undefined || value === null ? "" : numberText(value));
  const draw = search.drawOf(node.level);
  return fillNodes(labels[whyLabel(node.reason, search.content.beam === 1)], {
    beam: search.content.beam,
    margin: number(node.margin),
    token: node.token,
    probability: number(node.probability),
    draw: number(draw?.draw),
    kept: draw?.kept ?? "",
    mass: number(draw?.mass),
    low: number(draw?.low),
    high: number(draw?.high),
  });
}

// With a beam of one the same reasons have words of their own.
function whyLabel(reason: string, isGreedy: boolean): string {
  if (!isGreedy) return `why_${reason}`;
  if (reason === "among_the_best") return "why_best";
  if (reason === "ended") return "why_ended_greedy";
  return reason === "beam_full" || reason === "end_too_low" ? "why_beam_full_greedy" : `why_${reason}`;
}

export function nodeNodes(search: Search, node: Candidate, labels: Labels): Child[] {
  const text = search
    .pathTo(node)
    .map(({ token }) => token)
    .join(" ");
  return [
    ...fillNodes(labels.node, {
      step: node.level + 1,
      rank: node.rank + 1,
      count: search.levels[node.level].length,
      text,
    }),
    " · ",
    ...fillNodes(labels.node_numbers, {
      token: node.token,
      logProb: numberText(node.logProb),
      sum: numberText(node.sum),
      score: numberText(node.score),
    }),
    " · ",
    ...whyNodes(search, node, labels),
    ...(search.isBest(node) ? [" · ", labels.result] : []),
    ...(node.isGreedy ? [" · ", labels.greedy] : []),
  ];
}

export function plainText(nodes: readonly Child[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : node.textContent)).join("");
}

// The causal mask as a figure; see matrix/words.ts.
export function maskWords(labels: Labels): Words<Matrix> {
  const row = ({ queries, predicted }: Matrix, i: number) =>
    fillNodes(labels.row_decoder_self, { i: i + 1, query: queries[i] ?? "", predicted: predicted[i] });
  return {
    title: labels.mask,
    axisNames: [labels.query_decoder_self, labels.key_decoder_self, labels.predicted_axis],
    hint: labels.hint,
    isPinnable: false,
    place: () => labels.mask_place,
    spoken: ({ queries, keys }) =>
      fillText(labels.mask_matrix, {
        title: labels.mask,
        rows: queries.length,
        columns: keys.length,
        hint: labels.hint,
      }),
    fileName: () => "causal-mask.png",
    cell: (matrix, [i, j]) =>
      fillNodes(isAllowed(matrix, i, j) ? labels.mask_cell : labels.cell_masked, {
        row: row(matrix, i),
        j: j + 1,
        key: matrix.keys[j] ?? "",
      }),
    row: (matrix, i) => {
      const count = matrix.keys.filter((_, j) => isAllowed(matrix, i, j)).length;
      return fillNodes(labels.mask_row, { row: row(matrix, i), count });
    },
  };
}
