// @ts-nocheck
// Several plots side by side, each with a legend, a readout, a table and a PNG.

import { element, fillNodes, fillText, setFace, whenStyled } from "../kit/dom.ts";
import { saveBlob } from "../kit/export.ts";
import { lookOf } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { colourOf, layOutPlot, paintMark, paintPlot, paintSwatch, tickText } from "./paint.ts";
import { fillPlainTable, Plot } from "./plot.ts";

const [NARROWEST, GAP] = [360, 32];

export class PlotsPanel {
  constructor(parent) {
    this.figures = new Map(); // name -> Figure
    this.grid = element("div", { className: "plots" });
    this.below = element("div", { className: "facts" });
    this.element = element("div", { className: "view", "data-testid": "pv-root" }, this.grid, this.below);
    parent.append(this.element);
    this.resizes = new ResizeObserver(() => this.element.clientWidth !== this.width && this.refresh());
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.refresh());
  }

  show({ labels, plots, tables, notes }) {
    for (const [name, { element }] of this.figures) {
      if (plots.some((plot) => plot.name === name)) continue;
      element.remove();
      this.figures.delete(name);
    }
    this.shown = plots.map((plot) => {
      if (!this.figures.has(plot.name)) this.figures.set(plot.name, new Figure(plot.name));
      const figure = this.figures.get(plot.name);
      figure.setContent(plot, labels);
      return figure;
    });
    this.shown.forEach((figure, n) => {
      if (this.grid.children[n] !== figure.element)
        this.grid.insertBefore(figure.element, this.grid.children[n] ?? null);
    });
    const below = JSON.stringify([tables, notes]);
    if (below !== this.shownBelow)
      this.below.replaceChildren(...tables.map(tableOf), ...notes.map((note) => element("p", { textContent: note })));
    this.shownBelow = below;
    this.refresh();
  }

  refresh() {
    this.width = this.element.clientWidth;
    if (this.width === 0 || !this.shown) return; // hidden, in a closed tab for instance
    const columns = Math.max(1, Math.min(this.shown.length, Math.floor((this.width + GAP) / (NARROWEST + GAP))));
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const look = { ...lookOf(this.element), style: getComputedStyle(this.element) };
    const width = Math.floor((this.width - GAP * (columns - 1)) / columns);
    for (const figure of this.shown) figure.paint(width, look);
  }

  remove() {
    this.resizes.disconnect();
    this.element.remove();
  }
}

function tableOf({ name, caption, columns, rows }) {
  const cell = (tag, scope) => (textContent) => element(tag, { ...(scope && { scope }), textContent });
  return element(
    "div",
    { className: "fact-table", tabIndex: 0, role: "region", "aria-label": caption },
    element(
      "table",
      { "data-testid": name },
      element("caption", { textContent: caption }),
      element("thead", {}, element("tr", {}, ...columns.map(cell("th", "col")))),
      element(
        "tbody",
        {},
        ...rows.map(([heading, ...cells]) => element("tr", {}, cell("th", "row")(heading), ...cells.map(cell("td")))),
      ),
    ),
  );
}

class Figure {
  constructor(name) {
    this.name = name;
    this.cursor = null; // {series, point}
    this.title = element("h3", { className: "title" });
    this.legend = element("div", { className: "legend", "data-testid": `pv-legend-${name}` });
    this.plot = new Plot(
      name,
      {
        onPoint: (x, y) => this.moveTo(this.nearest(x, y)),
        onLeave: () => this.moveTo(null),
        onClick: (x, y) => this.moveTo(this.nearest(x, y)),
        onFocus: () => this.moveTo(this.cursor ?? this.start()),
        onKey: (key) => this.onKey(key),
        fill: (table) => this.fillTable(table),
      },
      "pv",
    );
    this.pngButton = element("button", {
      type: "button",
      onclick: () => this.savePng(),
      "data-testid": `pv-png-${name}`,
    });
    this.plot.tableButton.after(this.pngButton);
    this.plot.element.className = "plot";
    this.plot.element.prepend(element("figcaption", {}, this.title), this.legend);
    this.element = this.plot.element;
  }

  setContent(content, labels) {
    this.described = JSON.stringify(content);
    Object.assign(this, { content, labels });
    if (this.title.textContent !== content.title) this.title.textContent = content.title;
    if (!this.pngButton.hasChildNodes()) {
      this.plot.setLabels(labels);
      setFace(this.pngButton, "png", labels.png, true);
    }
    if (this.cursor && !(this.content.series[this.cursor.series]?.y.length > this.cursor.point)) this.cursor = null;
  }

  paint(width, look) {
    const seen = JSON.stringify([this.described, width, { ...look, style: null }]);
    if (seen === this.seen) return; // what did not change is not painted anew
    this.seen = seen;
    Object.assign(this, { look, layout: layOutPlot(this.content, width) });
    this.plot.paintBase(width, this.layout.height, width, look, (context) =>
      paintPlot(context, this.content, this.layout, look),
    );
    this.fillLegend();
    this.paintCursor();
  }

  fillLegend() {
    const { series } = this.content;
    const described = JSON.stringify([
      series.map(({ name, kind, hue, dashed }) => [name, kind, hue, dashed]),
      this.look.text,
      this.look.ratio,
    ]);
    if (described === this.legendOf) return;
    this.legendOf = described;
    const named = series.filter(({ name }, n) => series.findIndex((one) => one.name === name) === n);
    const entries = named.map((one) => {
      const swatch = element("canvas", {
        className: "swatch-line",
        width: 28 * this.look.ratio,
        height: 12 * this.look.ratio,
      });
      const context = swatch.getContext("2d");
      context.scale(this.look.ratio, this.look.ratio);
      paintSwatch(context, one, this.look);
      return element("span", { className: "entry" }, swatch, one.name);
    });
    this.legend.hidden = named.length < 2;
    this.legend.replaceChildren(...entries);
  }

  // The point whose place is nearest across; of several series, the nearest upwards.
  nearest(x, y) {
    let best = null;
    let least = Infinity;
    this.layout.points.forEach((points, series) =>
      points.forEach((at, point) => {
        if (!at) return;
        const far = Math.abs(at[0] - x) * 4 + Math.abs(at[1] - y);
        if (far < least) [best, least] = [{ series, point }, far];
      }),
    );
    return best;
  }

  start() {
    const series = this.layout.points.findIndex((points) => points.some(Boolean));
    return series < 0 ? null : { series, point: this.layout.points[series].findIndex(Boolean) };
  }

  moveTo(cursor) {
    if (JSON.stringify(cursor) === JSON.stringify(this.cursor)) return;
    this.cursor = cursor;
    this.paintCursor();
  }

  paintCursor() {
    const { content, labels, cursor, layout } = this;
    const at = cursor && layout.points[cursor.series][cursor.point];
    this.plot.paintOver(
      (context) => at && paintMark(context, at, colourOf(content.series[cursor.series], this.look), layout, this.look),
    );
    this.plot.say({
      spoken: fillText(labels.spoken, {
        title: content.title,
        x: content.x.title,
        y: content.y.title,
        hint: labels.hint,
        series: content.series.map(({ name }) => name).join(labels.separator),
      }),
      readout: at ? this.describe(cursor) : [labels.hint],
      isQuiet: !at,
    });
    this.plot.summarise(
      content.series.flatMap((one, n) => [
        n ? labels.separator : "",
        one.name,
        " ",
        this.valueOf(one, one.y.length - 1),
      ]),
    );
  }

  describe({ series, point }) {
    const { content, labels } = this;
    const one = content.series[series];
    return fillNodes(labels.point, {
      series: one.texts[point] ? `${one.name}, ${one.texts[point]}` : one.name,
      x_axis: content.x.title,
      x: this.placeOf(one, point),
      y_axis: content.y.title,
      y: this.valueOf(one, point),
    });
  }

  placeOf({ kind, x }, n) {
    const { labels: names } = this.content.x;
    if (kind === "bars") {
      return fillText(this.labels.range, { low: tickText(x[n]), high: tickText(x[n + 1]) });
    }
    return names[Math.round(x[n])] ?? tickText(x[n]);
  }

  valueOf({ y, error }, n) {
    const value = y[n] === null || y[n] === undefined ? this.labels.none : numberText(y[n]);
    return error && error[n] !== null ? fillText(this.labels.error, { y: value, error: numberText(error[n]) }) : value;
  }

  onKey(key) {
    const cursor = this.cursor ?? this.start();
    if (!cursor) return false;
    const { points } = this.layout;
    const along = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const across = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (along) {
      const row = points[cursor.series];
      let point = cursor.point + along;
      while (row[point] === null) point += along;
      if (row[point]) this.moveTo({ series: cursor.series, point });
    } else if (key === "Home" || key === "End") {
      const row = points[cursor.series];
      this.moveTo({
        series: cursor.series,
        point: key === "Home" ? row.findIndex(Boolean) : row.findLastIndex(Boolean),
      });
    } else if (across) {
      const x = points[cursor.series][cursor.point][0];
      const series = cursor.series + across;
      if (!points[series]?.some(Boolean)) return true;
      let nearest = -1;
      points[series].forEach((at, n) => {
        if (at && (nearest < 0 || Math.abs(at[0] - x) < Math.abs(points[series][nearest][0] - x))) nearest = n;
      });
      this.moveTo({ series, point: nearest });
    } else {
      return false;
    }
    return true;
  }

  fillTable(table) {
    const { series, x, y, title } = this.content;
    const rows = series.flatMap((one) =>
      one.y.map((_, n) => [
        one.texts[n] ? `${one.name}, ${one.texts[n]}` : one.name,
        this.placeOf(one, n),
        this.valueOf(one, n),
      ]),
    );
    fillPlainTable(table, [title], [x.title, y.title], rows);
  }

  async savePng() {
    const { ratio, font, text, background } = this.look;
    const { base } = this.plot;
    const [margin, line] = [16, 24];
    const head = line * (1 + this.content.series.length);
    const picture = new OffscreenCanvas(base.width + 2 * margin * ratio, base.height + (head + 2 * margin) * ratio);
    const context = picture.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = background;
    context.fillRect(0, 0, picture.width, picture.height);
    context.translate(margin, margin);
    context.fillStyle = text;
    context.textBaseline = "top";
    context.font = `600 17px ${font}`;
    context.fillText(this.content.title, 0, 0);
    this.content.series.forEach((one, n) => {
      context.save();
      context.translate(0, line * (n + 1));
      paintSwatch(context, one, this.look);
      context.fillStyle = text;
      context.font = `14px ${font}`;
      context.fillText(one.name, 36, 0);
      context.restore();
    });
    context.drawImage(base, 0, head, base.width / ratio, base.height / ratio);
    saveBlob(await picture.convertToBlob({ type: "image/png" }), `${this.name}.png`);
  }
}
