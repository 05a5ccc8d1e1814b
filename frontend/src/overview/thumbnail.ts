// An attention module in small: a button that brings it to the large place.

import { cleared } from "../kit/canvas.ts";
import { hatch } from "../kit/colour.ts";
import { element } from "../kit/dom.ts";
import type { Look } from "../kit/look.ts";
import { imageOf } from "../matrix/heatmap.ts";
import { type HeadMatrix, termsOf } from "../matrix/words.ts";

const SIZE = { least: 120, share: 0.85, cell: 40 }; // least width, most height as a share of it, largest cell
const MARGIN = 12; // px of the button to both sides

export class Thumbnail {
  readonly element: HTMLButtonElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #title = element("span", { className: "title" });
  #look: Look | null = null;
  #width = 0; // that there is
  #painted: readonly unknown[] = [];

  constructor(name: string, onChoose: () => void) {
    this.#canvas = element("canvas", { "aria-hidden": "true", testId: `tv-small-${name}` });
    this.element = element(
      "button",
      {
        type: "button",
        className: `thumbnail ${name}`,
        onclick: onChoose,
        testId: `tv-show-${name}`,
        "data-term": termsOf(name),
      },
      this.#title,
      this.#canvas,
    );
  }

  setLabels(title: string, tooltip: string): void {
    this.#title.textContent = title;
    this.element.title = tooltip;
  }

  // The next update paints everything anew.
  setLook(look: Look): void {
    this.#look = look;
    this.#width = Math.max(SIZE.least, this.element.clientWidth - MARGIN);
    this.#painted = [];
  }

  update(matrix: HeadMatrix, step: number | null): void {
    const look = this.#look;
    const painted = this.#painted;
    if (!look || (painted[0] === matrix.values && painted[1] === step)) return;
    this.#painted = [matrix.values, step];
    const [rows, columns] = [matrix.rowLabels.length, matrix.columnLabels.length];
    const cell = Math.min(this.#width / columns, (SIZE.share * this.#width) / rows, SIZE.cell);
    const [width, height] = [columns * cell, rows * cell];
    const canvas = this.#canvas;
    [canvas.width, canvas.height] = [Math.round(width * look.ratio), Math.round(height * look.ratio)];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
    const context = cleared(canvas, look.ratio);
    context.fillStyle = hatch(context, look.text, look.ratio); // shows where cells are masked
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    matrix.image ??= imageOf(matrix);
    context.drawImage(matrix.image, 0, 0, width, height);
    if (step === null) return;
    context.strokeStyle = look.hue;
    context.lineWidth = 2;
    context.strokeRect(1, step * cell + 1, width - 2, Math.max(cell - 2, 1));
  }
}
