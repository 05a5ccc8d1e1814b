// What the decoding component says about a node of the tree.

import { type Child, fillNodes, type Labels } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";
import type { Candidate, Search } from "./search.ts";

const MOST = 8; // tokens of a hypothesis that are written out; of a longer one only the last

// Sums and scores, with a real minus sign as everywhere.
export function shortNumber(value: number): string {
  return value.toFixed(2).replace("-", "−");
}

// Two decimals, or as many digits as it takes for an unlikely one not to look impossible, nor a likely one certain.
export function probabilityText(value: number): string {
  const rounded = value.toFixed(2);
  if ((rounded === "0.00" && value > 0) || (rounded === "1.00" && value < 1)) return numberText(value);
  return rounded;
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
  const tokens = search.pathTo(node).map(({ token }) => token);
  const text = [...(tokens.length > MOST ? ["…"] : []), ...tokens.slice(-MOST)].join(" ");
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
