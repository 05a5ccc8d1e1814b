// Loss and shares over the steps of a run, with a mark at the snapshot that is shown.

import type { Labels } from "../kit/component.ts";
import { element, fillText } from "../kit/dom.ts";
import { zoomOf } from "../kit/look.ts";
import { tickText } from "../kit/numbers.ts";
import { type Saved, SaveMenu } from "../kit/save.ts";
import { svg } from "../kit/svg.ts";
import {
  HEIGHT,
  highestLoss,
  MARGIN,
  nearestSnapshot,
  pathOf,
  type Series,
  seriesOf,
  xOf,
  yOf,
} from "./curve_layout.ts";
import type { Film } from "./film.ts";

const WIDE = 480; // CSS pixels, from which there is room for more steps on the axis

export class FilmCurve {
  readonly element: HTMLElement;
  readonly #svg = svg("svg", { height: HEIGHT, role: "img", "data-testid": "fv-curve" });
  readonly #legend = element("div", { className: "legend", testId: "fv-legend" });
  readonly #mark = svg("line", { class: "mark-line", y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom });
  readonly #saveMenu: SaveMenu;
  #film: Film | null = null;
  #labels: Labels = {};
  #width = 0;

  constructor(onChoose: (at: number) => void) {
    this.element = element(
      "div",
      { className: "film-curve", "data-term": "exact-match token-accuracy cross-entropy" },
      this.#svg,
      this.#legend,
    );
    this.#saveMenu = new SaveMenu(this.element, () => this.#saved(), "fv-save");
    this.element.append(element("div", { className: "tools" }, this.#saveMenu.element));
    const choose = ({ buttons, clientX }: PointerEvent) => {
      const x = (clientX - this.#svg.getBoundingClientRect().left) / zoomOf(this.#svg);
      if (buttons & 1 && this.#film) onChoose(nearestSnapshot(this.#film, x, this.#width));
    };
    this.#svg.onpointerdown = (event) => {
      this.#svg.setPointerCapture(event.pointerId);
      choose(event);
    };
    this.#svg.onpointermove = choose;
  }

  update(film: Film, at: number, labels: Labels, width: number): void {
    if (this.#film !== film || this.#width !== width) {
      this.#film = film;
      this.#width = width;
      this.#paint(film, labels);
    }
    this.#mark.setAttribute("transform", `translate(${xOf(film.snapshotSteps[at], film.steps, width)} 0)`);
  }

  #paint(film: Film, labels: Labels): void {
    const width = this.#width;
    const series = seriesOf(film);
    this.#labels = labels;
    this.#saveMenu.setLabels(labels);
    this.#svg.setAttribute("width", String(width));
    this.#svg.setAttribute("aria-label", labels.curve);
    this.#svg.replaceChildren(
      svg("title", {}, labels.curve),
      ...this.#axes(film, labels, series),
      ...Array.from(film.snapshotSteps, (step) => {
        const x = xOf(step, film.steps, width);
        return svg("line", { class: "tick-mark", x1: x, x2: x, y1: yOf(0), y2: yOf(0) + 5 });
      }),
      ...series.map(({ name, points }) => svg("path", { class: `line ${name}`, d: pathOf(points, film.steps, width) })),
      this.#mark,
    );
    this.#legend.replaceChildren(
      ...series.map(({ name, label }) =>
        element(
          "span",
          { className: "entry" },
          svg(
            "svg",
            { width: 26, height: 8, "aria-hidden": "true" },
            svg("path", { class: `line ${name}`, d: "M0 4H26" }),
          ),
          labels[label],
        ),
      ),
    );
  }

  // A row for each number that was measured: the training loss, and at the snapshots all else.
  #saved(): Saved | null {
    const film = this.#film;
    const labels = this.#labels;
    if (!film) return null;
    const curves = [
      [labels.training_loss, film.losses],
      [labels.held_out_loss, film.numbers("valid_loss")],
      [labels.token_share, film.numbers("token_accuracy")],
      [labels.exact_share, film.numbers("exact_match")],
    ] as const;
    return {
      name: "training-run",
      title: labels.curve_title,
      rows: () => [
        ["", labels.steps_axis, labels.csv_value],
        ...curves.flatMap(([name, points]) =>
          points.filter(([, value]) => Number.isFinite(value)).map(([step, value]) => [name, step, value]),
        ),
      ],
    };
  }

  // Losses on the left, shares on the right, steps below.
  #axes(film: Film, labels: Labels, series: readonly Series[]): SVGElement[] {
    const width = this.#width;
    const [left, right, bottom] = [MARGIN.left, width - MARGIN.right, yOf(0)];
    const highest = highestLoss(film);
    const hasShares = series.some(({ isShare }) => isShare);
    const text = (x: number, y: number, content: string, anchor: string) =>
      svg("text", { x, y, "text-anchor": anchor }, content);
    const marks = [0, 0.5, 1];
    const parts = width > WIDE ? [0, 0.25, 0.5, 0.75, 1] : marks;
    return [
      svg("path", { class: "axis", d: `M${left} ${yOf(1)}V${bottom}H${right}${hasShares ? `V${yOf(1)}` : ""}` }),
      ...marks.map((share) => text(left - 6, yOf(share) + 4, tickText(share * highest), "end")),
      ...(hasShares ? marks.map((share) => text(right + 6, yOf(share) + 4, `${share * 100} %`, "start")) : []),
      ...parts.map((part) =>
        text(xOf(part * film.steps, film.steps, width), bottom + 17, String(Math.round(part * film.steps)), "middle"),
      ),
      text((left + right) / 2, HEIGHT - 3, labels.steps_axis, "middle"),
      text(left - 6, yOf(0.75) + 4, labels.loss_axis, "end"),
      ...(hasShares ? [text(right + 6, yOf(0.75) + 4, labels.share_axis, "start")] : []),
    ];
  }
}

// What was measured at a snapshot, as sentences.
export function numberTexts(film: Film, at: number, labels: Labels): string[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const texts = { valid_loss: (loss: number) => loss.toFixed(3), token_accuracy: percent, exact_match: percent };
  return Object.entries(texts)
    .map(([name, textOf]) => ({ name, textOf, value: film.numberAt(name, at) }))
    .filter(({ value }) => Number.isFinite(value))
    .map(({ name, textOf, value }) => fillText(labels[name], { value: textOf(value), count: film.count }));
}
