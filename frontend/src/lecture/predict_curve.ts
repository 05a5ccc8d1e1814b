// An empty axis on which a curve is drawn, by a pointer or point by point with the keys.

import type { Tally, TallyOf, Truth } from "../kit/classroom.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { legendEntry } from "../kit/legend.ts";
import { zoomOf } from "../kit/look.ts";
import { axisText, tickText } from "../kit/numbers.ts";
import { type Axis, atPlaces, PLACES, shareOf, valueAt, WORDLESS } from "../kit/score.ts";
import { svg } from "../kit/svg.ts";
import type { AskedCurve, Changed, Sheet } from "./predict_sheet.ts";

const EVERY = 4; // a point that keys move, at every fourth place
const STEP = 0.02; // of the height, for a key
const LEFT = 88;
const RIGHT = 24;
const TOP = 16;
const BOTTOM = 44;
const KEYS: Readonly<Record<string, number>> = {
  ArrowUp: STEP,
  ArrowDown: -STEP,
  PageUp: 5 * STEP,
  PageDown: -5 * STEP,
};

export class CurveSheet implements Sheet {
  readonly element: HTMLElement;
  readonly #asked: AskedCurve;
  readonly #labels: Labels;
  readonly #changed: Changed;
  readonly #truth: readonly (readonly [number, number])[]; // its points, as shares: its peak is one of them
  readonly #picture = svg("svg", { "data-testid": "predict-curve" });
  readonly #legend = element("p", { className: "legend" });
  #drawn: (number | null)[] = empty();
  #isRevealed = false;
  #class: TallyOf<"curve"> | null = null;
  #last: { place: number; share: number } | null = null; // where the pointer was
  #width = 640;
  #height = 360;

  constructor(asked: AskedCurve, labels: Labels, changed: Changed) {
    this.#asked = asked;
    this.#labels = labels;
    this.#changed = changed;
    const { axes, x, y } = asked;
    this.#truth = Array.from(x.values, (value, n) => [shareOf(axes.x, value), shareOf(axes.y, y.values[n])]);
    this.#picture.onpointerdown = (event) => {
      if (event.button !== 0 || this.#isRevealed) return;
      event.preventDefault();
      this.#picture.setPointerCapture(event.pointerId);
      this.#last = null;
      this.#drawTo(event);
    };
    this.#picture.onpointermove = (event) => {
      if (this.#picture.hasPointerCapture(event.pointerId)) this.#drawTo(event);
    };
    this.#picture.onpointerup = () => {
      this.#last = null;
    };
    this.element = element("div", { className: "sheet" }, this.#picture, this.#legend);
    this.#show();
  }

  guess(): (number | null)[] | null {
    return this.#drawn.some((share) => share !== null) ? this.#drawn : null;
  }

  restore(guess: unknown): void {
    const isCurve = Array.isArray(guess) && guess.length === PLACES;
    this.#drawn = isCurve ? guess.map((share) => (isShare(share) ? share : null)) : empty();
    this.#show();
  }

  truth(): Truth {
    const [x, y] = [0, 1].map((axis) => this.#truth.map((point) => point[axis]));
    return { ...WORDLESS, values: atPlaces(x, y) };
  }

  reveal(isRevealed: boolean): void {
    this.#isRevealed = isRevealed;
    this.#show();
  }

  tally(tally: Tally | null): void {
    this.#class = tally?.kind === "curve" && tally.answers > 0 ? tally : null;
    this.#show();
  }

  fit(width: number, height: number): void {
    this.#width = Math.max(260, Math.min(width, 1100));
    this.#height = Math.max(170, Math.min(height - 30, 620));
    this.#show();
  }

  said(): string {
    return this.#isRevealed ? "" : this.#labels.hint_curve;
  }

  #drawTo(event: PointerEvent): void {
    const box = this.#picture.getBoundingClientRect();
    const zoom = zoomOf(this.#picture);
    const x = ((event.clientX - box.left) / zoom - LEFT) / (this.#width - LEFT - RIGHT);
    const y = 1 - ((event.clientY - box.top) / zoom - TOP) / (this.#height - TOP - BOTTOM);
    const place = Math.round(clamped(x) * (PLACES - 1));
    const share = rounded(clamped(y));
    const from = this.#last ?? { place, share };
    const steps = Math.abs(place - from.place);
    // A fast pointer skips places: these are filled in on a straight line.
    for (let n = 0; n <= steps; n++) {
      const at = from.place + Math.sign(place - from.place) * n;
      this.#drawn[at] = rounded(steps ? from.share + ((share - from.share) * n) / steps : share);
    }
    this.#last = { place, share };
    this.#show();
    this.#changed();
  }

  // Moves a point, with straight lines to its neighbours on both sides, where these are drawn.
  #move(place: number, share: number): void {
    this.#drawn[place] = rounded(clamped(share));
    for (const to of [place - EVERY, place + EVERY]) {
      const other = this.#drawn[to] ?? null;
      if (to < 0 || to >= PLACES || other === null) continue;
      const own = this.#drawn[place] as number;
      for (let n = 1; n < EVERY; n++)
        this.#drawn[place + Math.sign(to - place) * n] = rounded(own + ((other - own) * n) / EVERY);
    }
    this.#show();
    this.#changed();
  }

  #onKey(event: KeyboardEvent, place: number): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // which are the browser's
    const next = { ArrowRight: place + EVERY, ArrowLeft: place - EVERY }[event.key];
    if (!(event.key in KEYS) && next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined) this.#move(place, (this.#drawn[place] ?? 0.5) + KEYS[event.key]);
    this.#handleAt(next ?? place)?.focus();
  }

  #handleAt(place: number): SVGElement | null {
    return this.#picture.querySelector(`[data-place="${place}"]`);
  }

  #show(): void {
    const asked = this.#asked;
    const labels = this.#labels;
    const width = this.#width;
    const height = this.#height;
    const isRevealed = this.#isRevealed;
    const { axes, titles } = asked;
    const [x, y] = [this.#xOf, this.#yOf];
    const focused = this.#focusedPlace();
    this.#picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#picture.setAttribute("width", String(width));
    this.#picture.setAttribute("height", String(height));
    this.#picture.setAttribute("class", isRevealed ? "curve-sheet" : "curve-sheet open");
    this.#picture.setAttribute("role", "group");
    this.#picture.setAttribute("aria-label", fillText(labels.curve, { x: titles[0], y: titles[1] }));
    const handles = isRevealed
      ? []
      : Array.from({ length: (PLACES - 1) / EVERY + 1 }, (_, n) => this.#handle(n * EVERY));
    this.#picture.replaceChildren(
      svg("rect", { x: LEFT, y: TOP, width: x(1) - LEFT, height: y(0) - TOP, class: "field" }),
      ...(isRevealed && this.#class ? this.#heat(this.#class) : []),
      ...ticksOf(axes.x).flatMap((value) => [
        svg("line", { x1: x(shareOf(axes.x, value)), x2: x(shareOf(axes.x, value)), y1: TOP, y2: y(0), class: "grid" }),
        svg("text", { x: x(shareOf(axes.x, value)), y: y(0) + 16, "text-anchor": "middle" }, axisText(value)),
      ]),
      ...ticksOf(axes.y).flatMap((value) => [
        svg("line", {
          x1: LEFT,
          x2: x(1),
          y1: y(shareOf(axes.y, value)),
          y2: y(shareOf(axes.y, value)),
          class: "grid",
        }),
        svg("text", { x: LEFT - 8, y: y(shareOf(axes.y, value)) + 4, "text-anchor": "end" }, tickText(value)),
      ]),
      svg("text", { x: (LEFT + x(1)) / 2, y: height - 6, "text-anchor": "middle", class: "name" }, titles[0]),
      svg(
        "text",
        { x: -(TOP + y(0)) / 2, y: 16, transform: "rotate(-90)", "text-anchor": "middle", class: "name" },
        titles[1],
      ),
      ...(isRevealed
        ? [svg("path", { d: this.#pathOf(this.#truth), class: "truth", "data-testid": "predict-truth" })]
        : []),
      svg("path", { d: this.#pathOf(this.#drawn.map(pointAt)), class: "own", "data-testid": "predict-own" }),
      ...handles,
    );
    if (focused !== null) this.#handleAt(focused)?.focus();
    const truth = isRevealed ? [legendEntry("line truth", labels.true)] : [];
    const drawn = isRevealed && this.#class ? [fillText(labels.class_curves, { count: this.#class.answers })] : [];
    const heat = drawn.map((said) => legendEntry("class", said));
    this.#legend.replaceChildren(legendEntry("line own", labels.yours), ...truth, ...heat);
  }

  // Where the class drew: the more of it, the darker.
  #heat({ answers, counts }: TallyOf<"curve">): SVGElement[] {
    const bins = counts.length / PLACES;
    const half = 0.5 / (PLACES - 1);
    const most = Math.max(...counts);
    return counts.flatMap((count, n) => {
      if (!count) return [];
      const [place, bin] = [Math.floor(n / bins), n % bins];
      const at = place / (PLACES - 1);
      const [left, right] = [this.#xOf(Math.max(0, at - half)), this.#xOf(Math.min(1, at + half))];
      const [top, bottom] = [this.#yOf((bin + 1) / bins), this.#yOf(bin / bins)];
      const rect = svg("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "class" });
      rect.setAttribute("fill-opacity", (0.12 + (0.78 * count) / most).toFixed(3));
      rect.append(svg("title", {}, `${count} / ${answers}`));
      return [rect];
    });
  }

  #focusedPlace(): number | null {
    const root = this.#picture.getRootNode();
    const focused = root instanceof ShadowRoot || root instanceof Document ? root.activeElement : null;
    const place = focused && this.#picture.contains(focused) ? focused.getAttribute("data-place") : null;
    return place === null ? null : Number(place);
  }

  #handle(place: number): SVGElement {
    const asked = this.#asked;
    const labels = this.#labels;
    const share = this.#drawn[place] ?? null;
    const [x_title, y_title] = asked.titles;
    const value = axisText(Number(valueAt(asked.axes.x, place / (PLACES - 1)).toPrecision(3)));
    const node = svg("circle", {
      cx: this.#xOf(place / (PLACES - 1)),
      cy: this.#yOf(share ?? 0.5),
      r: 7,
      class: share === null ? "handle unset" : "handle",
      tabindex: 0,
      role: "slider",
      "aria-orientation": "vertical",
      "aria-valuemin": asked.axes.y.low,
      "aria-valuemax": asked.axes.y.high,
      "aria-valuenow": Number(valueAt(asked.axes.y, share ?? 0.5).toPrecision(3)),
      "aria-valuetext": share === null ? labels.nothing : tickText(valueAt(asked.axes.y, share)),
      "aria-label": fillText(labels.handle, { x_title, x: value, y_title }),
      "data-place": place,
      "data-testid": `predict-handle-${place / EVERY + 1}`,
    });
    node.onkeydown = (event) => this.#onKey(event, place);
    return node;
  }

  readonly #xOf = (share: number): number => LEFT + share * (this.#width - LEFT - RIGHT);
  readonly #yOf = (share: number): number => TOP + (1 - share) * (this.#height - TOP - BOTTOM);

  // A line through points; null is a gap.
  #pathOf(points: readonly (readonly [number, number] | null)[]): string {
    return points
      .map((point, n) => {
        if (point === null) return "";
        // A point alone is a dot: a line of no length with round ends.
        const to = `${this.#xOf(point[0]).toFixed(1)} ${this.#yOf(point[1]).toFixed(1)}`;
        return points[n - 1] ? `L${to}` : `M${to}L${to}`;
      })
      .join("");
  }
}

// A few round numbers along an axis.
function ticksOf(axis: Axis): number[] {
  if (axis.log) {
    const count = Math.round(Math.log(axis.high / axis.low) / Math.log(axis.log));
    const every = Math.max(1, Math.ceil(count / 6));
    return Array.from({ length: Math.floor(count / every) + 1 }, (_, n) => axis.low * axis.log ** (n * every));
  }
  const rough = (axis.high - axis.low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough * 0.99) ?? rough;
  const count = Math.floor((axis.high - axis.low) / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, n) => Number((axis.low + n * step).toPrecision(12)));
}

const pointAt = (share: number | null, place: number): [number, number] | null =>
  share === null ? null : [place / (PLACES - 1), share];
const empty = (): (number | null)[] => Array.from({ length: PLACES }, () => null);
const clamped = (share: number): number => Math.max(0, Math.min(1, share));
const rounded = (share: number): number => Math.round(share * 1e4) / 1e4;
const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;
