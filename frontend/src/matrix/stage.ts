// @ts-nocheck
// The matrices of one stage, side by side, each with its legend. A stage that is not shown stays on the page as it was
// painted: to show it paints nothing.

import { divergingTo, plain, sequentialTo } from "../kit/colour.ts";
import { element, setChildren } from "../kit/dom.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import { MatrixFigure } from "./figure.ts";
import { hasOdd } from "./heatmap.ts";
import { layOutMatrices } from "./layout.ts";
import { matrixWords } from "./words.ts";

const GAP = 28;

export class Stage {
  // `events`: onPin(matrix, cell | null)
  constructor(events) {
    this.events = events;
    this.figures = new Map(); // name of a matrix -> MatrixFigure
    this.roomFor = new Map(); // figure -> the size of its canvas that the browser has made room for
    this.element = element("div", { className: "matrices away" });
    this.element.style.columnGap = `${GAP}px`;
  }

  // `matrices`: of payload.ts, with different names.
  setMatrices(matrices, labels) {
    Object.assign(this, { matrices, labels, laidOut: null });
  }

  setShown(isShown) {
    if (isShown === this.isShown) return;
    this.isShown = isShown;
    this.element.classList.toggle("away", !isShown);
    if (isShown) this.setWarming(null);
    else this.figures.forEach((figure) => figure.leave());
  }

  // A browser copies every canvas in the frames that show it, and makes room for two such copies when it first needs
  // them, which takes longer than all else in a frame. So what is painted is shown for a moment, where nobody sees it
  // if the stage is away, and shown in another way, for the second copy. -> when that is done
  async warmUp() {
    const cold = [...this.figures.values()].filter(
      (figure) => figure.matrix && this.roomFor.get(figure) !== sizeOf(figure),
    );
    if (!cold.length) return;
    cold.forEach((figure) => this.roomFor.set(figure, sizeOf(figure)));
    if (!this.isShown) this.setWarming(cold);
    for (const willChange of ["", "transform", "", ""]) {
      this.element.style.willChange = willChange;
      await new Promise(requestAnimationFrame);
    }
    this.setWarming(null);
  }

  setWarming(warming) {
    this.element.classList.toggle("warming", warming !== null);
    this.element.inert = warming !== null;
    for (const figure of this.figures.values())
      figure.element.classList.toggle("veiled", warming?.includes(figure) === false);
  }

  // Paints what is not painted yet for this look, width and pin, at most `count` matrices -> whether there was any.
  // `pinnedIn(matrix)`: its pinned row and column, each an index or null, or null.
  paint({ look, width, pinnedIn }, count = Infinity) {
    if (this.laidOut?.look !== look) this.layOut(look, width);
    let painted = 0;
    for (const matrix of this.matrices) {
      if (painted < count && this.figures.get(matrix.name).update(matrix, null, pinnedIn(matrix))) painted++;
    }
    return painted > 0;
  }

  layOut(look, width) {
    const { matrices, labels } = this;
    const { columns, geometries } = layOutMatrices(matrices, width, GAP, look.font, look.ratio);
    this.laidOut = { look };
    this.element.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const known = this.figures;
    this.figures = new Map(matrices.map(({ name }) => [name, known.get(name) ?? this.newFigure(name)]));
    setChildren(
      this.element,
      [...this.figures.values()].map((figure) => figure.element),
    );
    matrices.forEach((matrix, n) => {
      const figure = this.figures.get(matrix.name);
      if (matrix.scaledOn !== look.isDark)
        Object.assign(matrix, { scale: scaleOf(matrix, look.isDark), scaledOn: look.isDark, image: null });
      figure.element.classList.remove(figure.hue);
      figure.element.classList.add((figure.hue = matrix.hue));
      figure.setWords(matrixWords(matrix, labels), labels);
      this.fillLegend(figure.legend, matrix);
      figure.setLook(geometries[n], look);
    });
  }

  newFigure(name) {
    const figure = new MatrixFigure(name, "mv", {
      onPin: (_, cell) => this.events.onPin(this.matrixOf(name), cell),
      onFocus: () => {},
      onCursor: (_, cell) => this.link(this.matrixOf(name), cell),
    });
    figure.legend = element("div", { className: "legend", "data-testid": `mv-legend-${name}` });
    figure.readout.before(figure.legend);
    return figure;
  }

  matrixOf(name) {
    return this.matrices.find((matrix) => matrix.name === name);
  }

  fillLegend(legend, { mask, scale, scaleName, ...matrix }) {
    legend.replaceChildren(
      ...(scale.stops.length ? [element("span", { className: "entry" }, scaleName, scaleElement(scale))] : []),
      ...(mask.includes(0) ? [legendEntry("masked", this.labels.masked)] : []),
      ...(hasOdd({ mask, scale, ...matrix }) ? [legendEntry("odd", this.labels.odd)] : []),
    );
  }

  // Pointing at a cell lights its row and column in the matrices that have the same axes.
  link(owner, cell) {
    for (const matrix of this.matrices) {
      if (matrix !== owner) this.figures.get(matrix.name).link(cell ? sharedCell(owner, cell, matrix) : [null, null]);
    }
  }

  // The focus goes to the first matrix in which something can be pinned.
  focus() {
    const { name } = this.matrices.find(({ isPinnable }) => isPinnable) ?? this.matrices[0];
    this.figures.get(name).canvas.focus({ preventScroll: true });
  }
}

const sizeOf = ({ canvas }) => `${canvas.width}×${canvas.height}`;

// A cell of `owner` as `matrix` sees it: where it has the same axis, its row or column, else null.
export function sharedCell(owner, [i, j], matrix) {
  const at = { [owner.rowAxis]: i, [owner.columnAxis]: j };
  return [at[matrix.rowAxis] ?? null, at[matrix.columnAxis] ?? null];
}

// From the numbers that are shown, so that none lies outside.
function scaleOf({ values, mask, kind, extent: least }, isOnDark) {
  let extent = least;
  for (let n = 0; n < values.length; n++) {
    if (mask[n] && Number.isFinite(values[n])) extent = Math.max(extent, Math.abs(values[n]));
  }
  if (kind === "plain") return plain(isOnDark);
  return kind === "sequential" ? sequentialTo(extent || 1) : divergingTo(extent || 1, isOnDark);
}
