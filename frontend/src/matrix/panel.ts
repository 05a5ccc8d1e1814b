// The component of matrix_view.py: one stage of matrices after the other, switched in the browser.

import { Choice } from "../kit/choice.ts";
import type { Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element, type Labels, setChildren, setFace, whenStyled } from "../kit/dom.ts";
import { type Look, lookOf } from "../kit/look.ts";
import { REST, type Settled } from "../kit/settled.ts";
import type { Crosshair } from "./matrix.ts";
import {
  type Content,
  type Offer,
  type Sheet,
  type SheetMatrix,
  type StageText,
  sharedCell,
  sheetOf,
  type View,
} from "./sheet.ts";
import { type Painting, Stage } from "./stage.ts";

const BEAT = 2200; // milliseconds per stage while playing
const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 50)); // Safari has none

export class MatrixPanel implements Panel<Content>, Painting {
  width = 0;
  look!: Look; // with the first width
  private readonly settled: Settled<View>;
  private readonly element: HTMLElement;
  private readonly choiceBar = element("div", { className: "choices" });
  private readonly tabs = element("div", { role: "tablist", "data-testid": "mv-timeline" });
  private readonly playButton: HTMLButtonElement;
  private readonly timeline: HTMLElement;
  private readonly formula = element("p", { className: "formula", "data-testid": "mv-formula" });
  private readonly shapes = element("p", { className: "shapes", "data-testid": "mv-shapes" });
  private readonly text = element("p", { className: "stage-text", "data-testid": "mv-text", "aria-live": "polite" });
  private readonly code = element("pre", { className: "code", "data-testid": "mv-code", tabIndex: 0 });
  private readonly head: HTMLElement;
  private readonly grid = element("div");
  private readonly resizes: ResizeObserver;
  private readonly choices = new Map<string, Choice>(); // by name
  private readonly stages: Stage[] = []; // the matrices of each
  private sheets: readonly Sheet[] = [];
  private offered: readonly Offer[] = [];
  private labels: Labels = {};
  private beat: ReturnType<typeof setInterval> | null = null;
  private isPainting = false;

  constructor(parent: HTMLElement, settled: Settled<View>) {
    this.settled = settled;
    this.playButton = element("button", {
      type: "button",
      className: "play",
      "data-testid": "mv-play",
      onclick: () => this.togglePlay(),
    });
    this.timeline = element("div", { className: "timeline" }, this.tabs, this.playButton);
    this.head = element("div", { className: "stage-head" }, this.formula, this.shapes, this.text, this.code);
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

  get picture(): HTMLElement {
    return this.element;
  }

  get hears(): HTMLElement {
    return this.tabs;
  }

  show(content: Content, labels: Labels, moved: boolean): void {
    this.sheets = content.sheets.map(sheetOf);
    this.offered = content.choices;
    this.labels = labels;
    if (moved) this.stop();
    const last = this.sheet.stages.length - 1;
    if (this.view.stage > last) this.settled.change({ stage: last });
    this.build();
    this.refresh();
  }

  // The choices that turn sheets count through them, the last one fastest.
  private get sheet(): Sheet {
    let place = 0;
    this.offered.forEach(({ options, turnsSheets }, n) => {
      if (turnsSheets) place = place * options.length + Math.min(this.view.choices[n] ?? 0, options.length - 1);
    });
    return this.sheets[place];
  }

  private build(): void {
    const { sheet, labels } = this;
    while (this.stages.length > sheet.stages.length) this.stages.pop()?.element.remove();
    sheet.stages.forEach(({ matrices }, n) => {
      if (!this.stages[n]) {
        const stage = new Stage((matrix, cell) => this.change({ pinned: cell && [this.pinOwner(matrix), ...cell] }));
        this.stages.push(stage);
        this.grid.append(stage.element);
      }
      this.stages[n].setMatrices(
        matrices.map((place) => sheet.matrices[place]),
        labels,
      );
    });

    this.choiceBar.hidden = this.offered.length === 0;
    setChildren(
      this.choiceBar,
      this.offered.map(({ name, label, hint }) => {
        const choice = this.choiceOf(name);
        choice.setLabels(label, hint);
        return choice.element;
      }),
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

  private choiceOf(name: string): Choice {
    const known = this.choices.get(name);
    if (known) return known;
    const choice = new Choice("mv", name, (chosen) => this.choose(name, chosen));
    this.choices.set(name, choice);
    return choice;
  }

  // With stages a pin belongs to the axes, not to one of the matrices: Python hears of the first that has them.
  private pinOwner(clicked: SheetMatrix): number {
    const { matrices, stages } = this.sheet;
    const hasAxes = ({ rowAxis, columnAxis }: SheetMatrix) =>
      rowAxis === clicked.rowAxis && columnAxis === clicked.columnAxis;
    return stages.length > 1 ? matrices.findIndex(hasAxes) : matrices.indexOf(clicked);
  }

  private get stage(): StageText {
    return this.sheet.stages[this.view.stage];
  }

  private choose(name: string, chosen: number): void {
    const choices = this.offered.map((offer, n) => (offer.name === name ? chosen : (this.view.choices[n] ?? 0)));
    const isHere = this.offered.some((offer) => offer.name === name && offer.turnsSheets);
    this.change({ choices }, isHere ? REST : 0); // or Python has the other sheets
  }

  private goTo(stage: number): void {
    this.stop();
    this.setStage(stage);
  }

  private setStage(stage: number): void {
    if (stage < 0 || stage >= this.sheet.stages.length || stage === this.view.stage) return;
    const inGrid = this.grid.contains(focused(this.grid));
    this.selectTab(stage);
    this.change({ stage });
    if (inGrid) this.stages[stage].focus(); // the figure that went away had it
  }

  // Moves the focus where the tab that was selected had it. Before all else changes: moving it lays the page out.
  private selectTab(stage: number): void {
    const tabs = [...this.tabs.children] as HTMLElement[];
    const before = tabs.find((tab) => tab.tabIndex === 0 && tab.hasAttribute("aria-selected"));
    if (before === tabs[stage]) return;
    const hasFocus = this.tabs.contains(focused(this.tabs));
    tabs[stage].tabIndex = 0;
    if (hasFocus) tabs[stage].focus({ preventScroll: true });
    tabs.forEach((tab, n) => {
      tab.setAttribute("aria-selected", String(n === stage));
      if (n !== stage) tab.tabIndex = -1;
    });
  }

  private get view(): View {
    return this.settled.view;
  }

  private change(change: Partial<View>, rest = REST): void {
    const { sheet } = this;
    this.settled.change(change);
    if (this.sheet !== sheet) this.build();
    this.render();
    this.commitIn(rest);
  }

  private commitIn(rest: number): void {
    if (this.beat) this.settled.wait();
    else this.settled.commitIn(rest);
  }

  private refresh(): void {
    this.width = this.element.clientWidth;
    this.look = lookOf(this.element);
    this.render();
  }

  private render(): void {
    const { view } = this;
    if (!this.sheets.length) return;
    this.offered.forEach(({ name, options }, n) => this.choiceOf(name).update(options, view.choices[n] ?? 0));
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
    for (const [n, stage] of this.stages.entries()) stage.setShown(n === view.stage);
    this.paintOthersSoon();
  }

  // The stages that are not shown, one matrix whenever the browser has nothing else to do, the next stage first.
  private paintOthersSoon(): void {
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
  readonly pinnedIn = (matrix: SheetMatrix): Crosshair | null => {
    if (!this.view.pinned) return null;
    const [n, i, j] = this.view.pinned;
    const owner = this.sheet.matrices[n];
    if (!owner || i >= owner.rowLabels.length || j >= owner.columnLabels.length) return null;
    const cell: Crosshair = owner === matrix ? [i, j] : sharedCell(owner, [i, j], matrix);
    return cell.every((index) => index === null) ? null : cell;
  };

  private togglePlay(): void {
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

  private stop(): void {
    if (!this.beat) return;
    clearInterval(this.beat);
    this.beat = null;
    this.setPlayFace();
    this.commitIn(REST);
  }

  private setPlayFace(): void {
    const name = this.beat ? "pause" : "play";
    setFace(this.playButton, name, this.labels[name], false);
  }

  private onTimelineKey(event: KeyboardEvent): void {
    const { stage } = this.view;
    const last = this.sheet.stages.length - 1;
    const targets = new Map([
      ["ArrowLeft", stage - 1],
      ["ArrowRight", stage + 1],
      ["Home", 0],
      ["End", last],
    ]);
    const target = targets.get(event.key);
    if (target === undefined) return;
    event.preventDefault();
    this.goTo(target);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0] as Element;
    const isTab = target.getAttribute("role") === "tab";
    if (event.key === " " && !this.timeline.hidden && (isTab || target.tagName !== "BUTTON")) {
      this.goTo(this.view.stage + (event.shiftKey ? -1 : 1));
    } else {
      const counted = this.offered.find(({ hasDigits }) => hasDigits);
      if (!counted || !chooseByDigit(event, counted.options.length, (n) => this.choose(counted.name, n))) return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private onResize(): void {
    if (this.sheets.length && this.element.clientWidth !== this.width) this.refresh();
  }

  remove(): void {
    this.stop();
    this.settled.wait();
    this.resizes.disconnect();
    this.element.remove();
  }
}

// "W_Q" as a W with a small Q below.
function withSubscripts(text: string): (string | HTMLElement)[] {
  return text.split(/_(\w+)/).map((part, n) => (n % 2 ? element("sub", { textContent: part }) : part));
}

// What has the focus in the same tree.
function focused(node: Node): Element | null {
  const root = node.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}
