// The picture in one sentence, and a long text with its weights.

import { cssOf, WEIGHTS } from "../kit/colour.ts";
import { type Child, element, fillNodes, type Labels } from "../kit/dom.ts";
import { visible } from "../kit/tokens.ts";
import type { Token } from "../matrix/matrix.ts";
import { type HeadMatrix, isAllowed, topColumns } from "../matrix/words.ts";

const MOST = 3; // keys that are named

// "While writing world, this head puts 93 % of its weight on 世界.", of one row. `isRead`: the row goes by what it reads, not writes.
export function sentenceOf(matrix: HeadMatrix, row: number, isRead: boolean, labels: Labels): Child[] {
  const { rowLabels, rowEnds, columnLabels, values } = matrix;
  const named: number[] = [];
  let sum = 0;
  // As many as it takes to name half of the row.
  for (const j of topColumns(matrix, row, MOST)) {
    if (sum >= 0.5) break;
    named.push(j);
    sum += values[row * columnLabels.length + j];
  }
  const looks = named.flatMap((j, n): Child[] => {
    const weight = values[row * columnLabels.length + j];
    const share = element("b", { textContent: percent(weight) });
    const look = n ? labels.separator + labels.looks_more : labels.looks;
    return fillNodes(look, { share: [share], key: keyNodes(columnLabels, j) });
  });
  return fillNodes(isRead ? labels.sentence_read : labels.sentence_written, {
    token: isRead ? keyNodes(rowLabels, row) : tokenNodes(rowEnds[row]),
    looks,
  });
}

// Not 100 % where it is less, nor 0 % where it is more.
export function percent(weight: number): string {
  const share = 100 * weight;
  const isWhole = Math.abs(share - Math.round(share)) < 0.05 || (share >= 0.5 && share < 99.5);
  return `${isWhole ? Math.round(share) : share.toFixed(1)} %`;
}

// A token, with its number where it occurs more than once.
function keyNodes(tokens: readonly Token[], place: number): Child[] {
  const isAlone = tokens.filter((token) => token === tokens[place]).length === 1;
  return [...tokenNodes(tokens[place] ?? ""), ...(isAlone ? [] : [element("small", { textContent: ` ${place + 1}` })])];
}

function tokenNodes(token: string): Child[] {
  return [element("strong", {}, element("bdi", { textContent: visible(token) }))];
}

// All keys in reading order, each on the colour of its weight: what a row of a hundred cells is too narrow for.
export class Passage {
  readonly element = element("p", { className: "passage", testId: "tv-passage" });
  #shown: readonly unknown[] = [];

  update(matrix: HeadMatrix, row: number): void {
    const { columnLabels, values } = matrix;
    if (this.#shown[0] === values && this.#shown[1] === row) return;
    this.#shown = [values, row];
    const width = columnLabels.length;
    const [strongest] = topColumns(matrix, row, 1);
    this.element.replaceChildren(
      ...columnLabels.map((label, j) => {
        const token = element("bdi", { textContent: visible(label ?? "") });
        if (!isAllowed(matrix, row, j)) token.className = "masked";
        else {
          if (j === strongest) token.className = "strongest";
          const weight = values[row * width + j];
          token.style.background = cssOf(WEIGHTS.pixelOf(weight));
          token.style.color = WEIGHTS.inkOn(weight);
          token.title = weight.toFixed(4);
        }
        return token;
      }),
    );
    const middle = this.element.children[strongest] as HTMLElement | undefined;
    if (middle) this.element.scrollTop = middle.offsetTop - this.element.clientHeight / 2;
  }
}
