// One sentence beside its translation, and a line for every weight between them.

import { type Child, element, fillNodes, type Labels } from "../kit/dom.ts";
import { svg } from "../kit/svg.ts";

export interface Translation {
  readonly source: readonly string[];
  readonly target: readonly string[];
  readonly weights: { readonly values: ArrayLike<number> }; // (T, S)
  readonly caption: string;
}

const WIDTH = 300; // px
const ROW = 27;
const TOP = 26; // below the names of the sides
const [LEFT, RIGHT] = [110, 190]; // where the words end and begin
const FAINTEST = 0.02; // lines below are not drawn

// -> the picture, which says of the word that is pointed at, or of the most telling one, where the head looked
export function drawTranslation({ source, target, weights, caption }: Translation, labels: Labels): HTMLElement {
  const weight = (row: number, column: number): number => weights.values[row * source.length + column] ?? 0;
  const largest = (row: number): number =>
    source.reduce((best, _token, column) => (weight(row, column) > weight(row, best) ? column : best), 0);
  const height = TOP + ROW * Math.max(source.length, target.length);
  const y = (index: number): number => TOP + ROW * (index + 0.5);

  const lines = target.map((_word, row) =>
    svg(
      "g",
      { class: "row" },
      ...source.flatMap((_token, column) =>
        weight(row, column) < FAINTEST
          ? []
          : [
              svg("line", {
                x1: LEFT + 6,
                y1: y(column),
                x2: RIGHT - 6,
                y2: y(row),
                "stroke-opacity": weight(row, column),
              }),
            ],
      ),
    ),
  );
  const text = (x: number, at: number, anchor: string, said: string, name: string): SVGElement => {
    const node = svg("text", { x, y: at, class: name, "text-anchor": anchor, "dominant-baseline": "central" });
    node.textContent = said;
    return node;
  };
  const reads = source.map((token, column) => text(LEFT, y(column), "end", token, "token"));
  const writes = target.map((token, row) => text(RIGHT, y(row), "start", token, "token"));
  const names = [text(LEFT, 10, "end", labels.reads, "side"), text(RIGHT, 10, "start", labels.writes, "side")];
  const said = element("p", { testId: "translation-sentence" });
  const show = (row: number): void => {
    for (const [n, line] of lines.entries()) line.setAttribute("class", n === row ? "row lit" : "row");
    for (const [n, node] of writes.entries()) node.setAttribute("class", n === row ? "token lit" : "token");
    const percent = Math.round(100 * weight(row, largest(row)));
    const words: Child[] = fillNodes(labels.look, {
      word: [element("b", {}, element("bdi", { textContent: target[row] }))],
      percent,
      source: [element("b", {}, element("bdi", { textContent: source[largest(row)] }))],
    });
    said.replaceChildren(...words);
  };
  const telling = target.reduce((best, _word, row) => {
    const isWord = /\p{L}{2}|\p{Script=Han}/u.test(target[row]);
    return isWord && weight(row, largest(row)) > weight(best, largest(best)) ? row : best;
  }, 0);
  for (const [row, node] of writes.entries()) {
    node.onpointerenter = () => show(row);
    node.onpointerdown = () => show(row);
  }
  show(telling);
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": caption },
    ...names,
    ...lines,
    ...reads,
    ...writes,
  );
  return element(
    "figure",
    { className: "translation" },
    drawing,
    said,
    element("figcaption", { textContent: caption }),
  );
}
