// The component of matrix_view.py: one stage of matrices after the other, switched in the browser.

import { Choice } from "../kit/choice.ts";
import type { Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { element, type Labels, setChildren, setFace } from "../kit/dom.ts";
import { type Look, lookOf } from "../kit/look.ts";
import { fillTable } from "../kit/table.ts";
import { fillWithTerms } from "../kit/term_highlight.ts";
import { REST, type ViewState } from "../kit/view_state.ts";
import { READING, speak } from "../kit/voice.ts";
import { isOnStage, roomFor, windowHeight } from "../kit/window.ts";
import { CloseUp } from "./close_up.ts";
import { Drawer } from "./drawer.ts";
import { FigureTwo } from "./figure_two.ts";
import type { Crosshair } from "./matrix.ts";
import { RangeChoice } from "./range_choice.ts";
import {
  type Content,
  type Offer,
  type Results,
  type Sheet,
  type SheetMatrix,
  type StageText,
  sharedCell,
  sheetOf,
  type View,
} from "./sheet.ts";
import { type Painting, Stage } from "./stage.ts";

const BEAT = 2200; // milliseconds per stage while playing
const SIDE = 308; // of the controls beside the stages, with the gap; as the style sheet has it
const WIDE = 760; // from this width on the controls are beside the stages
const AROUND = 260; // pixels of a page above and below the cells
const PHONE = 640; // px of the window, as ui/shared/look.py has it
const LEAST = 360; // pixels for the cells, however low the window is
const OWN = 100; // pixels of titles and legends
// The terms of those parts of the formula that are not called like their term.
const NAMED: Readonly<Record<string, string>> = {
  q: "query",
  k: "key",
  v: "value",
  scale: "scaling",
  output: "multi-head-attention",
};
const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 50)); // Safari has none

export class MatrixPanel implements Panel<Content>, Painting {
  width = 0;
  height: number | undefined;
  look!: Look; // set together with the first width
  readonly #state: ViewState<View>;
  readonly #element: HTMLElement;
  readonly #choiceBar = element("div", { className: "choices" });
  readonly #tabs = element("div", { role: "tablist", testId: "mv-timeline" });
  readonly #playButton: HTMLButtonElement;
  readonly #timeline: HTMLElement;
  readonly #formula = element("p", { className: "formula", testId: "mv-formula" });
  readonly #heading = element("h2", { className: "visually-hidden" }); // the stage's, for screen readers
  readonly #shapes = element("p", { className: "shapes", testId: "mv-shapes" });
  readonly #text = element("p", { className: "stage-text", testId: "mv-text" });
  readonly #code = element("pre", { className: "code", testId: "mv-code", tabIndex: 0 });
  readonly #drawer = new Drawer();
  readonly #closeUp = new CloseUp();
  readonly #figure = new FigureTwo((stage) => this.#goTo(stage));
  readonly #asides = element("div", { className: "choices asides" }); // of some stages only
  readonly #results = element("table", { className: "results", testId: "mv-results" });
  readonly #side: HTMLElement;
  readonly #main: HTMLElement;
  readonly #panes = element("div", { className: "panes" });
  readonly #grid = element("div", { className: "stages" });
  readonly #resizes: ResizeObserver;
  readonly #choices = new Map<string, Choice | RangeChoice>(); // by name
  readonly #stages: Stage[] = []; // the matrices of each
  #sheets: readonly Sheet[] = [];
  #offered: readonly Offer[] = [];
  #found: Results | null = null;
  #labels: Labels = {};
  #beat: ReturnType<typeof setInterval> | null = null;
  #isPainting = false;
  #seen = 0; // width of all of it
  #told = ""; // the stage's text

  constructor(parent: HTMLElement, state: ViewState<View>) {
    this.#state = state;
    this.#playButton = element("button", {
      type: "button",
      className: "play",
      testId: "mv-play",
      onclick: () => this.#togglePlay(),
    });
    this.#timeline = element("div", { className: "timeline" }, this.#tabs, this.#playButton, this.#shapes);
    this.#main = element("div", { className: "main" }, this.#timeline, this.#heading, this.#grid, this.#code);
    this.#side = element(
      "div",
      { className: "side" },
      this.#choiceBar,
      this.#text,
      this.#drawer.element,
      this.#closeUp.element,
      this.#figure.element,
      this.#asides,
      this.#results,
    );
    this.#element = element("div", { className: "view matrix-view", testId: "mv-root" }, this.#formula, this.#panes);
    this.#element.onkeydown = (event) => this.#onKey(event);
    this.#tabs.onkeydown = (event) => this.#onTimelineKey(event);
    parent.append(this.#element);

    this.#resizes = new ResizeObserver(() => this.#onResize());
    this.#resizes.observe(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  get hears(): HTMLElement {
    return this.#tabs;
  }

  show(content: Content, labels: Labels, moved: boolean): void {
    this.#sheets = content.sheets.map(sheetOf);
    this.#offered = content.choices;
    this.#found = content.results;
    this.#labels = labels;
    if (moved) this.#stop();
    const last = this.#sheet.stages.length - 1;
    if (this.#view.stage > last) this.#state.change({ stage: last });
    this.#build();
    this.#refresh();
  }

  // The sheets are in the order of the choices that turn them, the last choice running fastest.
  get #sheet(): Sheet {
    let place = 0;
    this.#offered.forEach(({ options, turnsSheets }, n) => {
      if (turnsSheets) place = place * options.length + Math.min(this.#view.choices[n] ?? 0, options.length - 1);
    });
    return this.#sheets[place];
  }

  #build(): void {
    const sheet = this.#sheet;
    const labels = this.#labels;
    while (this.#stages.length > sheet.stages.length) this.#stages.pop()?.element.remove();
    sheet.stages.forEach(({ matrices, isProduct, operators }, n) => {
      if (!this.#stages[n]) {
        const stage = new Stage(
          (matrix, cell) => this.#change({ pinned: cell && [this.#pinOwner(matrix), ...cell] }),
          (matrix, cell) => (cell ? this.#closeUp.show(matrix, cell, this.look) : this.#showPinnedCloseUp()),
          () => this.#chosen(),
        );
        this.#stages.push(stage);
        this.#grid.append(stage.element);
      }
      this.#stages[n].setMatrices(
        matrices.map((place) => sheet.matrices[place]),
        labels,
        isProduct,
        operators,
      );
    });

    for (const [bar, isAside] of [
      [this.#choiceBar, false],
      [this.#asides, true],
    ] as const) {
      const offered = this.#offered.filter(({ stages }) => stages.length > 0 === isAside);
      bar.hidden = offered.length === 0;
      setChildren(
        bar,
        offered.map((offer) => {
          const choice = this.#choiceOf(offer);
          choice.setLabels(offer.label, offer.hint);
          return choice.element;
        }),
      );
    }
    this.#results.hidden = this.#found === null;
    if (this.#found) fillTable(this.#results, this.#found.caption, this.#found.rows[0], this.#found.rows.slice(1));

    this.#timeline.hidden = this.#formula.hidden = sheet.stages.length === 1 && !sheet.stages[0].title;
    this.#text.hidden = this.#timeline.hidden;
    this.#element.classList.toggle("staged", !this.#timeline.hidden);
    setChildren(this.#panes, this.#timeline.hidden ? [this.#side, this.#main] : [this.#main, this.#side]);
    const titles = sheet.stages.map(({ title }) => title);
    if (JSON.stringify([...this.#tabs.children].map((tab) => tab.textContent)) !== JSON.stringify(titles)) {
      this.#tabs.replaceChildren(
        ...titles.map((title, n) =>
          element("button", {
            type: "button",
            role: "tab",
            textContent: title,
            onclick: () => this.#goTo(n),
            testId: `mv-stage-${n + 1}`,
            "data-term": sheet.stages[n].slugs,
          }),
        ),
      );
    }
    this.#tabs.setAttribute("aria-label", labels.stages);
    this.#tabs.title = labels.stages;
    this.#setPlayFace();
    this.#formula.replaceChildren(
      ...sheet.formula.map(([text, part]) =>
        element("span", { "data-names": NAMED[part] ?? part }, ...withSubscripts(text)),
      ),
    );
  }

  #choiceOf({ name, isRange }: Offer): Choice | RangeChoice {
    const known = this.#choices.get(name);
    if (known) return known;
    const choice = new (isRange ? RangeChoice : Choice)("mv", name, (chosen) => this.#choose(name, chosen));
    this.#choices.set(name, choice);
    return choice;
  }

  // In words, for pictures, which have no controls.
  #chosen(): string {
    const view = this.#view;
    return this.#offered
      .map(({ label, options, stages }, n) =>
        isShownAt(stages, view.stage) ? [label, options[view.choices[n] ?? 0]] : [],
      )
      .map((words) => words.join(" "))
      .filter(Boolean)
      .join(", ");
  }

  // With stages a pin belongs to the axes, not to one of the matrices: Python hears of the first that has them.
  #pinOwner(clicked: SheetMatrix): number {
    const { matrices, stages } = this.#sheet;
    const hasAxes = ({ rowAxis, columnAxis }: SheetMatrix) =>
      rowAxis === clicked.rowAxis && columnAxis === clicked.columnAxis;
    return stages.length > 1 ? matrices.findIndex(hasAxes) : matrices.indexOf(clicked);
  }

  get #stage(): StageText {
    return this.#sheet.stages[this.#view.stage];
  }

  #choose(name: string, chosen: number): void {
    const choices = this.#offered.map((offer, n) => (offer.name === name ? chosen : (this.#view.choices[n] ?? 0)));
    const isHere = this.#offered.some((offer) => offer.name === name && (offer.turnsSheets || offer.isRange));
    this.#change({ choices }, isHere ? REST : 0); // otherwise Python, which has the other sheets, is asked at once
  }

  // Selects the options that suit this stage, where nobody has chosen yet.
  #chooseForStage(stage: number): void {
    this.#offered.forEach(({ name, until }, n) => {
      if (until && stage >= until[0] && this.#view.choices[n] !== until[1]) this.#choose(name, until[1]);
    });
  }

  #goTo(stage: number): void {
    this.#stop();
    this.#setStage(stage);
  }

  #setStage(stage: number): void {
    if (stage < 0 || stage >= this.#sheet.stages.length || stage === this.#view.stage) return;
    const inGrid = this.#grid.contains(focused(this.#grid));
    this.#selectTab(stage);
    this.#change({ stage });
    this.#chooseForStage(stage);
    if (inGrid) this.#stages[stage].focus(); // the figure that went away had it
  }

  // The new tab takes the focus if the old one had it. This comes before all other changes, since moving the focus
  // makes the browser lay the page out.
  #selectTab(stage: number): void {
    const tabs = [...this.#tabs.children] as HTMLElement[];
    const before = tabs.find((tab) => tab.tabIndex === 0 && tab.hasAttribute("aria-selected"));
    if (before === tabs[stage]) return;
    const hasFocus = this.#tabs.contains(focused(this.#tabs));
    tabs[stage].tabIndex = 0;
    if (hasFocus) tabs[stage].focus({ preventScroll: true });
    tabs.forEach((tab, n) => {
      tab.setAttribute("aria-selected", String(n === stage));
      if (n !== stage) tab.tabIndex = -1;
    });
  }

  get #view(): View {
    return this.#state.view;
  }

  #change(change: Partial<View>, rest = REST): void {
    const sheet = this.#sheet;
    this.#state.change(change);
    if (this.#sheet !== sheet) this.#build();
    this.#render();
    this.#commitIn(rest);
  }

  #commitIn(rest: number): void {
    if (this.#beat) this.#state.wait();
    else this.#state.commitIn(rest);
  }

  #refresh(): void {
    const { clientWidth } = this.#element;
    const isWide = clientWidth >= WIDE && !this.#timeline.hidden;
    this.#element.classList.toggle("wide", isWide);
    this.width = isWide && !isOnStage() ? clientWidth - SIDE : clientWidth;
    this.#seen = clientWidth;
    this.height = this.#room();
    this.look = lookOf(this.#element);
    this.#render();
  }

  #room(): number {
    // On a phone the picture stays in sight above the controls that move it, and has only this much of the window.
    const isInSight = this.#timeline.hidden && globalThis.innerWidth <= PHONE;
    return isInSight ? Math.max(0.4 * windowHeight() - 44, 200) : roomFor(AROUND, LEAST, OWN);
  }

  #render(): void {
    const view = this.#view;
    if (!this.#sheets.length) return;
    this.#offered.forEach((offer, n) => {
      const choice = this.#choiceOf(offer);
      choice.update(offer.options, view.choices[n] ?? 0);
      choice.element.hidden = !isShownAt(offer.stages, view.stage);
    });
    if (this.#found) this.#results.hidden = !isShownAt(this.#found.stages, view.stage);
    this.#drawer.show(this.#sheet, view.pinned && [view.pinned[1], view.pinned[2]], view.stage, this.#labels);
    this.#figure.show(this.#sheet.stages, view.stage, this.#labels);
    this.#selectTab(view.stage);
    this.#sheet.formula.forEach(([, part], n) => {
      this.#formula.children[n].classList.toggle("lit", part !== "" && this.#stage.lit.includes(part));
    });
    this.#heading.textContent = this.#stage.title;
    this.#heading.hidden = this.#stage.title === "";
    this.#shapes.textContent = this.#stage.shapes;
    if (this.#told !== this.#stage.text) fillWithTerms(this.#text, this.#stage.text);
    this.#told = this.#stage.text;
    speak(this.#text, READING);
    this.#code.textContent = this.#stage.code;
    this.#code.hidden = this.#stage.code === "";
    this.#code.setAttribute("aria-label", this.#labels.code);
    if (!this.width) return; // hidden, in a closed tab for instance
    this.#closeUp.choose(this.#sheet.stages.length > 1 ? this.#sheet.matrices : [], this.#labels);
    this.#showPinnedCloseUp();
    this.#stages[view.stage].paint(this);
    this.#reserveHeight();
    for (const [n, stage] of this.#stages.entries()) stage.setShown(n === view.stage);
    this.#paintOthersSoon();
  }

  // Enlarges the last matrix of the stage that has both axes of the pinned one, since its number is the result of the
  // stage; else the pinned one itself.
  #showPinnedCloseUp(): void {
    const sheet = this.#sheet;
    const stage = this.#stage;
    const view = this.#view;
    if (!view.pinned) return;
    const [n, i, j] = view.pinned;
    const owner = sheet.matrices[n];
    const same = stage.matrices
      .map((place) => sheet.matrices[place])
      .filter(({ rowAxis, columnAxis }) => rowAxis === owner?.rowAxis && columnAxis === owner.columnAxis);
    const shown = same.at(-1) ?? owner;
    if (shown) this.#closeUp.show(shown, [i, j], this.look);
  }

  // Reserves the height of the highest stage, so that what is below stays where it is.
  #reserveHeight(): void {
    if (this.#stages.length < 2) return;
    // Where it is narrow, as on a phone, the controls come right below the stage that is shown.
    const isWide = this.#element.classList.contains("wide");
    if (isWide) for (const stage of this.#stages) stage.arrange(this);
    const height = isWide ? `${Math.ceil(Math.max(...this.#stages.map((stage) => stage.height)))}px` : "";
    if (this.#grid.style.minHeight !== height) this.#grid.style.minHeight = height;
  }

  // Paints the stages that are not shown, one matrix whenever the browser has nothing else to do, the next stage first.
  #paintOthersSoon(): void {
    if (this.#isPainting) return;
    this.#isPainting = true;
    whenIdle(async () => {
      const stages = this.#stages;
      const view = this.#view;
      const inTurn = stages.map((_, n) => stages[(view.stage + n) % stages.length]);
      await inTurn[0].warmUp();
      const painted = inTurn.find((stage) => this.#element.isConnected && stage.paint(this, 1));
      await painted?.warmUp();
      this.#isPainting = false;
      if (painted) this.#paintOthersSoon();
    });
  }

  // The pinned cell as a matrix sees it: where it has the same axis, its row or column, else null.
  readonly pinnedIn = (matrix: SheetMatrix): Crosshair | null => {
    if (!this.#view.pinned) return null;
    const [n, i, j] = this.#view.pinned;
    const owner = this.#sheet.matrices[n];
    if (!owner || i >= owner.rowLabels.length || j >= owner.columnLabels.length) return null;
    const cell: Crosshair = owner === matrix ? [i, j] : sharedCell(owner, [i, j], matrix);
    return cell.every((index) => index === null) ? null : cell;
  };

  #togglePlay(): void {
    if (this.#beat) {
      this.#stop();
      return;
    }
    const last = this.#sheet.stages.length - 1;
    if (this.#view.stage === last) this.#setStage(0);
    this.#beat = setInterval(() => {
      this.#setStage(this.#view.stage + 1);
      if (this.#view.stage === last) this.#stop();
    }, BEAT);
    this.#setPlayFace();
  }

  #stop(): void {
    if (!this.#beat) return;
    clearInterval(this.#beat);
    this.#beat = null;
    this.#setPlayFace();
    this.#commitIn(REST);
  }

  #setPlayFace(): void {
    const name = this.#beat ? "pause" : "play";
    setFace(this.#playButton, name, this.#labels[name], false);
  }

  // Enter goes on into the matrix, past all that stands between.
  #onTimelineKey(event: KeyboardEvent): void {
    const { stage } = this.#view;
    if (event.key === "Enter") {
      event.preventDefault();
      this.#stages[stage].focus();
      return;
    }
    const last = this.#sheet.stages.length - 1;
    const targets = new Map([
      ["ArrowLeft", stage - 1],
      ["ArrowRight", stage + 1],
      ["Home", 0],
      ["End", last],
    ]);
    const target = targets.get(event.key);
    if (target === undefined) return;
    event.preventDefault();
    this.#goTo(target);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0] as Element;
    const isTab = target.getAttribute("role") === "tab";
    if (event.key === " " && !this.#timeline.hidden && (isTab || target.tagName !== "BUTTON")) {
      this.#goTo(this.#view.stage + (event.shiftKey ? -1 : 1));
    } else {
      const counted = this.#offered.find(({ hasDigits }) => hasDigits);
      if (!counted || !chooseByDigit(event, counted.options.length, (n) => this.#choose(counted.name, n))) return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #onResize(): void {
    if (this.#sheets.length && this.#element.clientWidth !== this.#seen) this.#refresh();
  }

  remove(): void {
    this.#stop();
    this.#state.wait();
    this.#resizes.disconnect();
    this.#element.remove();
  }
}

function isShownAt(stages: readonly number[], stage: number): boolean {
  return stages.length === 0 || stages.includes(stage);
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
