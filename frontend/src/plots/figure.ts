// One plot with its legend, a readout, a table and a menu to save it.

import { cleared, setPainter } from "../kit/canvas.ts";
import { type Child, element, fillNodes, fillText, type Labels } from "../kit/dom.ts";
import { CanvasFrame } from "../kit/frame.ts";
import { axisText, numberText } from "../kit/numbers.ts";
import type { Saved } from "../kit/save.ts";
import { fillTable } from "../kit/table.ts";
import { isSame, type PlotContent, type Series } from "./content.ts";
import { layOutPlot, type PlotLayout } from "./layout.ts";
import { colourOf, type PlotLook, paintMark, paintPlot, paintSwatch } from "./paint.ts";

interface Cursor {
  readonly series: number;
  readonly point: number;
}

// A plot as it is painted.
interface Painted {
  readonly content: PlotContent;
  readonly layout: PlotLayout;
  readonly look: PlotLook;
}

const ALONG: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
const ACROSS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

export class Figure {
  readonly name: string;
  readonly element: HTMLElement;
  readonly #frame: CanvasFrame;
  readonly #title = element("h2", { className: "title" });
  readonly #legend: HTMLElement;
  #labels: Labels = {};
  #content: PlotContent | null = null;
  #painted: Painted | null = null;
  #legendOf = "";
  #cursor: Cursor | null = null;

  constructor(name: string) {
    this.name = name;
    this.#legend = element("div", { className: "legend", testId: `pv-legend-${name}` });
    this.#frame = new CanvasFrame(
      name,
      {
        onPoint: (x, y) => this.#pointAt(x, y),
        onLeave: () => this.#moveTo(null),
        onClick: (x, y) => this.#pointAt(x, y),
        onFocus: () => this.#moveTo(this.#cursor ?? this.#start()),
        onKey: (key) => this.#onKey(key),
        fill: (table) => this.#fillTable(table),
      },
      "pv",
    );
    this.#frame.addSave(() => this.#saved());
    this.element = this.#frame.element;
    this.element.className = "plot";
    this.element.prepend(element("figcaption", {}, this.#title), this.#legend);
  }

  get isWide(): boolean {
    return this.#content?.isWide ?? false;
  }

  setContent(content: PlotContent, labels: Labels): void {
    this.#content = content;
    this.element.classList.toggle("wide", content.isWide);
    this.element.setAttribute("data-term", content.slugs);
    if (this.#title.textContent !== content.title) this.#title.textContent = content.title;
    this.#frame.setLabels(labels);
    this.#labels = labels;
    const cursor = this.#cursor;
    if (cursor && !((content.series[cursor.series]?.y.length ?? 0) > cursor.point)) this.#cursor = null;
  }

  // What did not change is not painted anew.
  paint(width: number, tallest: number, look: PlotLook): void {
    const content = this.#content;
    const painted = this.#painted;
    if (!content) return;
    const layout = layOutPlot(content, width, tallest);
    if (painted && hasSize(painted.layout, layout) && isSame(painted.content, content) && looksSame(painted.look, look))
      return;
    this.#painted = { content, layout, look };
    this.#frame.paintBase(width, layout.height, width, look, (context) => paintPlot(context, content, layout, look));
    Object.assign(this.#frame.canvas.dataset, layout.box);
    this.#fillLegend(content, look);
    this.#paintCursor();
  }

  #fillLegend({ series }: PlotContent, look: PlotLook): void {
    const named = series.filter(({ name }, n) => series.findIndex((one) => one.name === name) === n);
    const described = JSON.stringify([
      series.map(({ name, kind, hue, dashed }) => [name, kind, hue, dashed]),
      look.text,
      look.ratio,
    ]);
    if (described === this.#legendOf) return;
    this.#legendOf = described;
    const entries = named.map((one) => {
      const size = { width: 28 * look.ratio, height: 12 * look.ratio };
      const swatch = element("canvas", { className: "swatch-line", ...size });
      paintSwatch(cleared(swatch, look.ratio), one, look);
      setPainter(swatch, (context) => paintSwatch(context, one, look));
      return element("span", { className: "entry" }, swatch, one.name);
    });
    this.#legend.hidden = named.length < 2;
    this.#legend.replaceChildren(...entries);
  }

  #pointAt(x: number, y: number): void {
    if (this.#painted) this.#moveTo(nearest(this.#painted.layout, x, y));
  }

  #start(): Cursor | null {
    const points = this.#painted?.layout.points ?? [];
    const series = points.findIndex((row) => row.some(Boolean));
    return series < 0 ? null : { series, point: points[series].findIndex(Boolean) };
  }

  #moveTo(cursor: Cursor | null): void {
    if (JSON.stringify(cursor) === JSON.stringify(this.#cursor)) return;
    this.#cursor = cursor;
    this.#paintCursor();
  }

  #paintCursor(): void {
    const painted = this.#painted;
    const labels = this.#labels;
    const cursor = this.#cursor;
    if (!painted) return;
    const { content, layout, look } = painted;
    const at = cursor && layout.points[cursor.series][cursor.point];
    this.#frame.paintOver((context) => {
      if (at) paintMark(context, at, colourOf(content.series[cursor.series], look), layout, look);
    });
    this.#frame.say({
      spoken: fillText(labels.spoken, {
        title: content.title,
        x: content.x.title,
        y: content.y.title,
        hint: labels.hint,
        series: content.series.map(({ name }) => name).join(labels.separator),
      }),
      readout: at ? this.#describe(content, cursor) : [labels.hint_short],
      isQuiet: !at,
    });
    this.#frame.summarise(
      content.series.flatMap((one, n) => [
        n ? labels.separator : "",
        one.name,
        " ",
        this.#valueOf(one, one.y.length - 1),
      ]),
    );
  }

  #describe(content: PlotContent, { series, point }: Cursor): Child[] {
    const one = content.series[series];
    return fillNodes(this.#labels.point, {
      series: nameOf(one, point),
      x_axis: content.x.title,
      x: this.#placeOf(content, one, point),
      y_axis: content.y.title,
      y: this.#valueOf(one, point),
    });
  }

  #placeOf({ x: axis }: PlotContent, { kind, x }: Series, n: number): string {
    if (kind === "bars") return fillText(this.#labels.range, { low: axisText(x[n]), high: axisText(x[n + 1]) });
    return axis.labels[Math.round(x[n])] ?? axisText(x[n]);
  }

  #valueOf({ y, error }: Series, n: number): string {
    const value = Number.isFinite(y[n]) ? numberText(y[n]) : this.#labels.none;
    return error && Number.isFinite(error[n])
      ? fillText(this.#labels.error, { y: value, error: numberText(error[n]) })
      : value;
  }

  #onKey(key: string): boolean {
    const cursor = this.#cursor ?? this.#start();
    if (!cursor || !this.#painted) return false;
    const { points } = this.#painted.layout;
    const row = points[cursor.series];
    if (key in ALONG) {
      let point = cursor.point + ALONG[key];
      while (row[point] === null) point += ALONG[key];
      if (row[point]) this.#moveTo({ series: cursor.series, point });
    } else if (key === "Home" || key === "End") {
      const point = key === "Home" ? row.findIndex(Boolean) : row.findLastIndex(Boolean);
      this.#moveTo({ series: cursor.series, point });
    } else if (key in ACROSS) {
      this.#goAcross(points, cursor, cursor.series + ACROSS[key]);
    } else {
      return false;
    }
    return true;
  }

  // To another series, where it is nearest.
  #goAcross(points: PlotLayout["points"], { series: from, point }: Cursor, series: number): void {
    const x = points[from][point]?.[0] ?? 0;
    let best = -1;
    let least = Infinity;
    points[series]?.forEach((at, n) => {
      if (at && Math.abs(at[0] - x) < least) [best, least] = [n, Math.abs(at[0] - x)];
    });
    if (best >= 0) this.#moveTo({ series, point: best });
  }

  #fillTable(table: HTMLTableElement): void {
    const content = this.#content;
    if (!content) return;
    const rows = content.series.flatMap((one) =>
      Array.from(one.y, (_, n) => [nameOf(one, n), this.#placeOf(content, one, n), this.#valueOf(one, n)]),
    );
    fillTable(table, content.title, ["", content.x.title, content.y.title], rows);
  }

  #saved(): Saved | null {
    const content = this.#content;
    if (!content) return null;
    const hasErrors = content.series.some(({ error }) => error !== null);
    return {
      name: `plot-${this.name}`,
      title: content.title,
      heading: "",
      rows: () => [
        ["", content.x.title, content.y.title, ...(hasErrors ? ["±"] : [])],
        ...content.series.flatMap((one) =>
          Array.from(one.y, (value, n) => [
            nameOf(one, n),
            content.x.labels.length || one.kind === "bars" ? this.#placeOf(content, one, n) : one.x[n],
            Number.isFinite(value) ? value : null,
            ...(hasErrors ? [one.error?.[n] ?? null] : []),
          ]),
        ),
      ],
    };
  }
}

function nameOf({ name, texts }: Series, n: number): string {
  return texts[n] ? `${name}, ${texts[n]}` : name;
}

// The point whose place is nearest across; of several series, the nearest upwards.
export function nearest({ points }: Pick<PlotLayout, "points">, x: number, y: number): Cursor | null {
  let best: Cursor | null = null;
  let least = Infinity;
  points.forEach((row, series) => {
    row.forEach((at, point) => {
      if (!at) return;
      const far = Math.abs(at[0] - x) * 4 + Math.abs(at[1] - y);
      if (far < least) [best, least] = [{ series, point }, far];
    });
  });
  return best;
}

function hasSize(a: PlotLayout, b: PlotLayout): boolean {
  return a.width === b.width && a.height === b.height;
}

function looksSame(a: PlotLook, b: PlotLook): boolean {
  const described = (look: PlotLook) => JSON.stringify({ ...look, style: null });
  return described(a) === described(b);
}
