// The component of matrix_view.py: one stage of matrices after the other, switched in the browser.

import { Choice } from "./choice.js";
import { divergingTo, isDark, plain, sequentialTo } from "./colour.js";
import { element, setFace, whenStyled } from "./dom.js";
import { hasOdd } from "./heatmap.js";
import { layOutMatrices } from "./layout.js";
import { legendEntry, scaleElement } from "./legend.js";
import { lookOf } from "./look.js";
import { MatrixFigure } from "./matrix.js";
import { REST, Settled } from "./settled.js";
import { matrixWords } from "./words.js";

const BEAT = 2200; // milliseconds per stage while playing
const GAP = 28;

export class MatrixPanel {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.choices = new Map(); // name -> Choice
    this.figures = new Map(); // name of a matrix -> {figure, legend, box}
    this.choiceBar = element("div", { className: "choices" });
    this.tabs = element("div", { role: "tablist", "data-testid": "mv-timeline" });
    this.playButton = element("button", { type: "button", className: "play", "data-testid": "mv-play", onclick: () => this.togglePlay() });
    this.timeline = element("div", { className: "timeline" }, this.tabs, this.playButton);
    this.formula = element("p", { className: "formula", "data-testid": "mv-formula" });
    this.shapes = element("p", { className: "shapes", "data-testid": "mv-shapes" });
    this.text = element("p", { className: "stage-text", "data-testid": "mv-text", "aria-live": "polite" });
    this.code = element("pre", { className: "code", "data-testid": "mv-code", tabIndex: 0 });
    this.head = element("div", { className: "stage-head" }, this.formula, this.shapes, this.text, this.code);
    this.grid = element("div", { className: "matrices" });
    this.element = element("div", { className: "view matrix-view", "data-testid": "mv-root" },
      this.choiceBar, this.timeline, this.head, this.grid);
    this.element.onkeydown = (event) => this.onKey(event);
    this.tabs.onkeydown = (event) => this.onTimelineKey(event);
    parent.append(this.element);

    this.resizes = new ResizeObserver(() => this.onResize());
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.refresh());
  }

  show({ request, content }, commit) {
    Object.assign(this, { sheets: content.sheets, offered: content.choices, labels: request.labels });
    if (this.settled.adopt(request, commit)) this.stop();
    this.view.stage = Math.min(this.view.stage, this.sheet.stages.length - 1);
    this.build();
    this.refresh();
  }

  // The choices that turn sheets count through them, the last one fastest.
  get sheet() {
    const chosen = (choice) => Math.min(this.view.choices[choice.name] ?? 0, choice.options.length - 1);
    const turning = this.offered.filter(({ turnsSheets }) => turnsSheets);
    return this.sheets[turning.reduce((n, choice) => n * choice.options.length + chosen(choice), 0)];
  }

  build() {
    const { sheet, labels } = this;
    const names = sheet.matrices.map(({ name }) => name);
    for (const [name, { box }] of this.figures) {
      if (names.includes(name)) continue;
      box.remove();
      this.figures.delete(name);
    }
    for (const matrix of sheet.matrices) {
      if (!this.figures.has(matrix.name)) this.figures.set(matrix.name, this.newFigure(matrix.name));
      const { figure } = this.figures.get(matrix.name);
      figure.element.className = `matrix ${matrix.hue}`;
      figure.setWords(matrixWords(matrix, labels), labels);
    }

    this.choiceBar.hidden = this.offered.length === 0;
    for (const { name, label, hint } of this.offered) {
      if (!this.choices.has(name)) {
        const choice = new Choice("mv", name, (chosen) => this.choose(name, chosen));
        this.choices.set(name, choice);
        this.choiceBar.append(choice.element);
      }
      this.choices.get(name).setLabels(label, hint);
    }

    this.timeline.hidden = this.head.hidden = sheet.stages.length === 1 && !sheet.stages[0].title;
    const titles = sheet.stages.map(({ title }) => title);
    if (JSON.stringify([...this.tabs.children].map((tab) => tab.textContent)) !== JSON.stringify(titles)) {
      this.tabs.replaceChildren(...titles.map((title, n) => element("button", {
        type: "button", role: "tab", textContent: title, onclick: () => this.goTo(n), "data-testid": `mv-stage-${n + 1}`,
      })));
    }
    this.tabs.setAttribute("aria-label", labels.stages);
    this.setPlayFace();
    this.formula.replaceChildren(...sheet.formula.map(([text]) => element("span", {}, ...withSubscripts(text))));
  }

  newFigure(name) {
    const figure = new MatrixFigure(name, "mv", {
      onPin: (_, cell) => this.change({ pinned: cell && [this.pinOwner(name), ...cell] }),
      onFocus: () => {},
      onCursor: (_, cell) => this.link(name, cell),
    });
    const legend = element("div", { className: "legend", "data-testid": `mv-legend-${name}` });
    figure.readout.before(legend);
    return { figure, legend, box: figure.element };
  }

  indexOf(name) {
    return this.sheet.matrices.findIndex((matrix) => matrix.name === name);
  }

  // With stages a pin belongs to the axes, not to one of the matrices: Python hears of the first that has them.
  pinOwner(name) {
    const { matrices, stages } = this.sheet;
    const clicked = matrices[this.indexOf(name)];
    const hasAxes = ({ rowAxis, columnAxis }) => rowAxis === clicked.rowAxis && columnAxis === clicked.columnAxis;
    return stages.length > 1 ? matrices.findIndex(hasAxes) : matrices.indexOf(clicked);
  }

  get stage() {
    return this.sheet.stages[this.view.stage];
  }

  get shown() {
    return this.stage.matrices.map((n) => this.sheet.matrices[n]);
  }

  choose(name, chosen) {
    const { turnsSheets } = this.offered.find((choice) => choice.name === name);
    this.change({ choices: { ...this.view.choices, [name]: chosen } }, turnsSheets ? REST : 0); // or Python has the others
  }

  goTo(stage) {
    this.stop();
    this.setStage(stage);
  }

  setStage(stage) {
    if (stage < 0 || stage >= this.sheet.stages.length || stage === this.view.stage) return;
    const inGrid = this.grid.contains(this.grid.getRootNode().activeElement);
    this.selectTab(stage);
    this.change({ stage });
    enter(this.head);
    // A figure that went away took the focus with it.
    if (inGrid && !this.grid.contains(this.grid.getRootNode().activeElement)) {
      const next = this.shown.find(({ isPinnable }) => isPinnable) ?? this.shown[0];
      this.figures.get(next.name).figure.canvas.focus({ preventScroll: true });
    }
  }

  // Moves the focus where the tab that was selected had it. Before all else changes: moving it lays the page out.
  selectTab(stage) {
    const tabs = [...this.tabs.children];
    const before = tabs.find((tab) => tab.tabIndex === 0 && tab.hasAttribute("aria-selected"));
    if (before === tabs[stage]) return;
    const hasFocus = this.tabs.contains(this.tabs.getRootNode().activeElement);
    tabs[stage].tabIndex = 0;
    if (hasFocus) tabs[stage].focus({ preventScroll: true });
    tabs.forEach((tab, n) => {
      tab.setAttribute("aria-selected", String(n === stage));
      if (n !== stage) tab.tabIndex = -1;
    });
  }

  get view() {
    return this.settled.view;
  }

  change(change, rest = REST) {
    const { sheet, stage } = this;
    this.settled.change(change);
    if (this.sheet !== sheet) this.build();
    if (this.sheet !== sheet || this.stage !== stage) this.layOut();
    this.render();
    this.commitIn(rest);
  }

  commitIn(rest) {
    if (this.beat) this.settled.wait();
    else this.settled.commitIn(rest);
  }

  refresh() {
    this.width = this.element.clientWidth;
    this.look = lookOf(this.element);
    this.layOut();
    this.render();
  }

  layOut() {
    if (!this.width || !this.sheets) return; // hidden, in a closed tab for instance
    const { look } = this;
    const { background } = look;
    const shown = this.shown;
    const { stage } = this;
    if (stage.look !== look) {
      Object.assign(stage, layOutMatrices(shown, this.width, GAP, look.font, look.ratio), { look });
    }
    const { columns, geometries } = stage;
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.grid.style.columnGap = `${GAP}px`;
    const boxes = shown.map(({ name }) => this.figures.get(name).box);
    for (const child of [...this.grid.children]) if (!boxes.includes(child)) child.remove();
    boxes.forEach((box, n) => {
      if (this.grid.children[n] === box) return;
      this.grid.insertBefore(box, this.grid.children[n] ?? null);
      enter(box);
    });
    shown.forEach((matrix, n) => {
      const { figure, legend } = this.figures.get(matrix.name);
      if (matrix.scaledOn !== background) {
        Object.assign(matrix, { scale: scaleOf(matrix, isDark(background)), scaledOn: background, image: null });
      }
      // What comes back as it was is neither filled nor painted anew.
      if (legend.of !== matrix.scale) this.fillLegend(legend, matrix);
      legend.of = matrix.scale;
      const seen = JSON.stringify([geometries[n], look]);
      if (figure.seen !== seen) figure.setLook(geometries[n], look);
      figure.seen = seen;
    });
  }

  fillLegend(legend, matrix) {
    const { mask, scale } = matrix;
    legend.replaceChildren(
      ...(scale.stops.length ? [element("span", { className: "entry" }, matrix.scaleName, scaleElement(scale))] : []),
      ...(mask.includes(0) ? [legendEntry("masked", this.labels.masked)] : []),
      ...(hasOdd(matrix) ? [legendEntry("odd", this.labels.odd)] : []),
    );
  }

  render() {
    const { view } = this;
    if (!this.sheets) return;
    for (const { name, options } of this.offered) this.choices.get(name).update(options, view.choices[name] ?? 0);
    this.selectTab(view.stage);
    this.sheet.formula.forEach(([, part], n) => {
      this.formula.children[n].classList.toggle("lit", part !== "" && this.stage.lit.includes(part));
    });
    this.shapes.textContent = this.stage.shapes;
    this.text.textContent = this.stage.text;
    this.code.textContent = this.stage.code;
    this.code.hidden = this.stage.code === "";
    this.code.setAttribute("aria-label", this.labels.code);
    if (!this.width) return;
    for (const matrix of this.shown) {
      const { figure } = this.figures.get(matrix.name);
      if (!figure.geometry) continue;
      figure.update(matrix, null, this.pinnedIn(matrix));
    }
  }

  // The pinned cell as a matrix sees it: where it has the same axis, its row or column, else null.
  pinnedIn(matrix) {
    if (!this.view.pinned) return null;
    const [n, i, j] = this.view.pinned;
    const owner = this.sheet.matrices[n];
    if (!owner || i >= owner.shape[0] || j >= owner.shape[1]) return null;
    const cell = owner === matrix ? [i, j] : sharedCell(owner, [i, j], matrix);
    return cell.every((index) => index === null) ? null : cell;
  }

  // Pointing at a cell lights its row and column in the matrices that have the same axes.
  link(name, cell) {
    const owner = this.sheet.matrices[this.indexOf(name)];
    for (const matrix of this.shown) {
      if (matrix.name === name) continue;
      this.figures.get(matrix.name).figure.link(cell ? sharedCell(owner, cell, matrix) : [null, null]);
    }
  }

  togglePlay() {
    if (this.beat) {
      this.stop();
      return;
    }
    const last = this.sheet.stages.length - 1;
    if (this.view.stage === last) this.setStage(0);
    this.beat = setInterval(() => {
      this.setStage(this.view.stage + 1);
      if (this.view.stage === last) this.stop();
    }, BEAT);
    this.setPlayFace();
  }

  stop() {
    if (!this.beat) return;
    clearInterval(this.beat);
    this.beat = null;
    this.setPlayFace();
    this.commitIn(REST);
  }

  setPlayFace() {
    const name = this.beat ? "pause" : "play";
    setFace(this.playButton, name, this.labels[name], false);
  }

  onTimelineKey(event) {
    const { stage } = this.view;
    const target = { ArrowLeft: stage - 1, ArrowRight: stage + 1, Home: 0, End: this.sheet.stages.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.goTo(target);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    const isTab = target.getAttribute?.("role") === "tab";
    if (event.key === " " && !this.timeline.hidden && (isTab || target.tagName !== "BUTTON")) {
      this.goTo(this.view.stage + (event.shiftKey ? -1 : 1));
    } else {
      const counted = this.offered.find(({ hasDigits }) => hasDigits);
      const digit = Number(event.key);
      if (!counted || !(digit >= 1 && digit <= counted.options.length)) return;
      this.choose(counted.name, digit - 1);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  onResize() {
    if (this.sheets && this.element.clientWidth !== this.width) this.refresh();
  }

  remove() {
    this.stop();
    this.settled.wait();
    this.resizes.disconnect();
    this.element.remove();
  }
}

function enter(node) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  node.animate([{ opacity: 0, transform: "translateX(12px)" }, {}], { duration: 220, easing: "ease-out" });
}

// "W_Q" as a W with a small Q below.
function withSubscripts(text) {
  return text.split(/_(\w+)/).map((part, n) => (n % 2 ? element("sub", { textContent: part }) : part));
}

function sharedCell(owner, [i, j], matrix) {
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
