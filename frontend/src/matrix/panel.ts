// @ts-nocheck
// The component of matrix_view.py: one stage of matrices after the other, switched in the browser.

import { Choice } from "../kit/choice.ts";
import { element, setChildren, setFace, whenStyled } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { REST, Settled } from "../kit/settled.ts";
import { Stage, sharedCell } from "./stage.ts";

const BEAT = 2200; // milliseconds per stage while playing
const whenIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(run, 50)); // Safari has none

export class MatrixPanel {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.choices = new Map(); // name -> Choice
    this.stages = []; // the matrices of each
    this.choiceBar = element("div", { className: "choices" });
    this.tabs = element("div", { role: "tablist", "data-testid": "mv-timeline" });
    this.playButton = element("button", {
      type: "button",
      className: "play",
      "data-testid": "mv-play",
      onclick: () => this.togglePlay(),
    });
    this.timeline = element("div", { className: "timeline" }, this.tabs, this.playButton);
    this.formula = element("p", { className: "formula", "data-testid": "mv-formula" });
    this.shapes = element("p", { className: "shapes", "data-testid": "mv-shapes" });
    this.text = element("p", { className: "stage-text", "data-testid": "mv-text", "aria-live": "polite" });
    this.code = element("pre", { className: "code", "data-testid": "mv-code", tabIndex: 0 });
    this.head = element("div", { className: "stage-head" }, this.formula, this.shapes, this.text, this.code);
    this.grid = element("div", {});
    this.element = element(
      "div",
      { className: "view matrix-view", "data-testid": "mv-root" },
      this.choiceBar,
      this.timeline,
      this.head,
      this.grid,
    );
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
    while (this.stages.length > sheet.stages.length) this.stages.pop().element.remove();
    sheet.stages.forEach(({ matrices }, n) => {
      if (!this.stages[n]) {
        this.stages.push(
          new Stage({ onPin: (matrix, cell) => this.change({ pinned: cell && [this.pinOwner(matrix), ...cell] }) }),
        );
        this.grid.append(this.stages[n].element);
      }
      this.stages[n].setMatrices(
        matrices.map((place) => sheet.matrices[place]),
        labels,
      );
    });

    this.choiceBar.hidden = this.offered.length === 0;
    for (const { name, label, hint } of this.offered) {
      if (!this.choices.has(name))
        this.choices.set(name, new Choice("mv", name, (chosen) => this.choose(name, chosen)));
      this.choices.get(name).setLabels(label, hint);
    }
    setChildren(
      this.choiceBar,
      this.offered.map(({ name }) => this.choices.get(name).element),
    );

    this.timeline.hidden = this.head.hidden = sheet.stages.length === 1 && !sheet.stages[0].title;
    const titles = sheet.stages.map(({ title }) => title);
    if (JSON.stringify([...this.tabs.children].map((tab) => tab.textContent)) !== JSON.stringify(titles)) {
      this.tabs.replaceChildren(
        ...titles.map((title, n) =>
          element("button", {
            type: "button",
            role: "tab",
            textContent: title,
            onclick: () => this.goTo(n),
            "data-testid": `mv-stage-${n + 1}`,
          }),
        ),
      );
    }
    this.tabs.setAttribute("aria-label", labels.stages);
    this.setPlayFace();
    this.formula.replaceChildren(...sheet.formula.map(([text]) => element("span", {}, ...withSubscripts(text))));
  }

  // With stages a pin belongs to the axes, not to one of the matrices: Python hears of the first that has them.
  pinOwner(clicked) {
    const { matrices, stages } = this.sheet;
    const hasAxes = ({ rowAxis, columnAxis }) => rowAxis === clicked.rowAxis && columnAxis === clicked.columnAxis;
    return stages.length > 1 ? matrices.findIndex(hasAxes) : matrices.indexOf(clicked);
  }

  get stage() {
    return this.sheet.stages[this.view.stage];
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
    if (inGrid) this.stages[stage].focus(); // the figure that went away had it
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
    const { sheet } = this;
    this.settled.change(change);
    if (this.sheet !== sheet) this.build();
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
    this.render();
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
    if (!this.width) return; // hidden, in a closed tab for instance
    this.stages[view.stage].paint(this);
    this.stages.forEach((stage, n) => stage.setShown(n === view.stage));
    this.paintOthersSoon();
  }

  // The stages that are not shown, one matrix whenever the browser has nothing else to do, the next stage first.
  paintOthersSoon() {
    if (this.isPainting) return;
    this.isPainting = true;
    whenIdle(async () => {
      const { stages, view } = this;
      const inTurn = stages.map((_, n) => stages[(view.stage + n) % stages.length]);
      await inTurn[0].warmUp();
      const painted = inTurn.find((stage) => this.element.isConnected && stage.paint(this, 1));
      await painted?.warmUp();
      this.isPainting = false;
      if (painted) this.paintOthersSoon();
    });
  }

  // The pinned cell as a matrix sees it: where it has the same axis, its row or column, else null.
  pinnedIn = (matrix) => {
    if (!this.view.pinned) return null;
    const [n, i, j] = this.view.pinned;
    const owner = this.sheet.matrices[n];
    if (!owner || i >= owner.shape[0] || j >= owner.shape[1]) return null;
    const cell = owner === matrix ? [i, j] : sharedCell(owner, [i, j], matrix);
    return cell.every((index) => index === null) ? null : cell;
  };

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
    const target = { ArrowLeft: stage - 1, ArrowRight: stage + 1, Home: 0, End: this.sheet.stages.length - 1 }[
      event.key
    ];
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

// "W_Q" as a W with a small Q below.
function withSubscripts(text) {
  return text.split(/_(\w+)/).map((part, n) => (n % 2 ? element("sub", { textContent: part }) : part));
}
