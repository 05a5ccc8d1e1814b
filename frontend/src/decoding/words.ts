// @ts-nocheck
// What the decoding component says about a node of the tree, and about the causal mask.

import { fillNodes, fillText } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";

// Sums and scores with their sign as a minus, as everywhere.
export function shortNumber(value) {
  return value.toFixed(2).replace("-", "−");
}

// Why a node was kept or lost. `draws` are those of sampling: [draw, kept, mass, low, high] of each step.
export function whyNodes(search, node, labels) {
  const isGreedy = search.beam === 1;
  const { reason } = node;
  const template = {
    among_the_best: isGreedy ? labels.why_best : labels.why_among_the_best,
    forced: labels.why_forced,
    ended: isGreedy ? labels.why_ended_greedy : labels.why_ended,
    beam_full: isGreedy ? labels.why_beam_full_greedy : labels.why_beam_full,
    end_too_low: isGreedy ? labels.why_beam_full_greedy : labels.why_end_too_low,
    drawn: labels.why_drawn,
    not_drawn: labels.why_not_drawn,
  }[reason];
  const [draw, kept, mass, low, high] = search.draws[node.level] ?? [];
  const number = (value) => (value === undefined || value === null ? "" : numberText(value));
  return fillNodes(template, {
    beam: search.beam,
    margin: number(node.margin),
    token: node.token,
    probability: number(node.probability),
    draw: number(draw),
    kept,
    mass: number(mass),
    low: number(low),
    high: number(high),
  });
}

export function nodeNodes(search, node, labels) {
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

export function plainText(nodes) {
  return nodes.map((node) => node.textContent ?? node).join("");
}

// The causal mask as a figure; see matrix/words.ts.
export function maskWords(labels) {
  const row = ({ queries, predicted }, i) =>
    fillNodes(labels.row_decoder_self, { i: i + 1, query: queries[i], predicted: predicted[i] });
  const allowed = ({ keys, mask }, i, j) => mask[i * keys.length + j] === 1;
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
      fillNodes(allowed(matrix, i, j) ? labels.mask_cell : labels.cell_masked, {
        row: row(matrix, i),
        j: j + 1,
        key: matrix.keys[j],
      }),
    row: (matrix, i) => {
      const count = matrix.keys.filter((_, j) => allowed(matrix, i, j)).length;
      return fillNodes(labels.mask_row, { row: row(matrix, i), count });
    },
  };
}
