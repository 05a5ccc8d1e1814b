// @ts-nocheck
// The head view: queries on the left, keys on the right, and an arc for every weight, each head in its own colour.

import { headColour } from "../kit/colour.ts";
import { afterNextFrame, element, fillNodes, fillText } from "../kit/dom.ts";
import { numberText } from "../kit/numbers.ts";
import { moduleOf } from "../maps/payload.ts";
import { fillPlainTable, Plot, tokenNodes } from "../plots/plot.ts";
import { matrixOf } from "../trace/payload.ts";
import { layOutArcs, tokenAt } from "./arcs_layout.ts";
import { allowed, paintLit, paintTokens, weightOf } from "./arcs_paint.ts";
import { arcsImages, DRAFT_FROM, hasHaze, STRONG } from "./arcs_raster.ts";

const STEPS = 100; // of the slider; its square is the threshold, so that small weights have room on it
const DIMMED = 0.15; // of the arcs that are not lit
const REST = 60; // milliseconds without a change before a draft of the arcs is drawn in full

export class Arcs {
  constructor(change) {
    this.change = change;
    this.cursor = null; // ["query" | "key", place]: pointed at; the kept one is part of the view
    this.hasNumbers = false; // once a token is lit, or soon: the canvas takes longest of all, and half of it is for them
    this.headsName = element("span", { className: "name" });
    this.chips = element("div", { className: "segments", role: "group" });
    this.allButton = element("button", {
      type: "button",
      "data-testid": "hv-all-heads",
      onclick: () => this.light(this.everyHead),
    });
    this.slider = element("input", { type: "range", min: 0, max: STEPS, step: 1, "data-testid": "hv-threshold" });
    this.slider.oninput = () => change({ threshold: this.slider.value ** 2 / STEPS ** 2 });
    this.sliderName = element("span", { className: "name" });
    this.hiddenText = element("p", { className: "step-text", "data-testid": "hv-hidden" });
    this.legend = element("div", { className: "legend", "data-testid": "hv-legend" });
    this.plot = new Plot("arcs", {
      onPoint: (x, y) => this.moveTo(tokenAt(this.layout, x, y)),
      onLeave: () => this.moveTo(null),
      onClick: (x, y) => this.keep(tokenAt(this.layout, x, y)),
      onFocus: () => this.moveTo(this.lit ?? ["query", 0]),
      onKey: (key) => this.onKey(key),
      fill: (table) => this.fillTable(table),
    });
    this.element = element(
      "div",
      {},
      element("div", { className: "choice" }, this.headsName, this.chips, this.allButton),
      element("label", { className: "stepper" }, this.sliderName, this.slider),
      this.hiddenText,
      this.legend,
      this.plot.element,
    );
  }

  setLabels(labels) {
    this.labels = labels;
    this.headsName.textContent = labels.heads;
    this.chips.title = labels.heads_keys;
    this.chips.setAttribute("aria-label", labels.heads);
    this.allButton.textContent = labels.all_heads;
    this.sliderName.textContent = labels.threshold;
    this.slider.setAttribute("aria-label", labels.threshold);
    this.plot.setLabels(labels);
  }

  update(content, view, look, width) {
    const seen = JSON.stringify([view.module, view.layer, view.heads, view.threshold, look, width]);
    const isNew = this.content !== content || this.seen !== seen;
    Object.assign(this, { content, view, look, width, seen });
    this.module = moduleOf(content, view);
    this.isOnDark = look.isDark;
    this.showHeads();
    if (isNew) this.paint();
    this.paintLit();
  }

  get everyHead() {
    return Array.from({ length: this.content.heads }, (_, head) => head);
  }

  get lit() {
    return this.cursor ?? this.view.token;
  }

  showHeads() {
    const { view, isOnDark } = this;
    if (this.chips.children.length !== this.content.heads) {
      this.chips.replaceChildren(
        ...this.everyHead.map((head) =>
          element(
            "button",
            {
              type: "button",
              className: "chip",
              onclick: () => this.toggle(head),
              ondblclick: () => this.light([head]),
              "data-testid": `hv-toggle-${head + 1}`,
            },
            element("span", { className: "swatch" }),
            String(head + 1),
          ),
        ),
      );
    }
    [...this.chips.children].forEach((chip, head) => {
      chip.setAttribute("aria-pressed", String(view.heads.includes(head)));
      chip.firstChild.style.background = `rgb(${headColour(head, isOnDark)})`;
    });
    this.allButton.disabled = view.heads.length === this.content.heads;
  }

  // At least one stays.
  toggle(head) {
    const { heads } = this.view;
    const next = heads.includes(head) ? heads.filter((one) => one !== head) : [...heads, head].sort((a, b) => a - b);
    if (next.length) this.light(next);
  }

  light(heads) {
    this.change({ heads, head: heads.includes(this.view.head) ? this.view.head : heads[0] });
  }

  onDigit(head) {
    this.toggle(head);
  }

  // With their weights as numbers: to unpack these takes longer than to paint the arcs, which need whole numbers.
  get matrices() {
    const { content, module, view } = this;
    return view.heads.map((head) => matrixOf(content, module, view.layer, head));
  }

  paint() {
    const { content, labels, module, view, look } = this;
    this.layOut();
    const { arcs, rowHeight } = this.layout;
    const size = module.queries.length * module.keys.length;
    const codes = module.codesIn(view.layer);
    const apart = Math.min(2.5, (0.7 * rowHeight) / view.heads.length); // heads lie side by side
    this.heads = view.heads.map((head, place) => ({
      codes: codes.subarray(head * size, (head + 1) * size),
      colour: headColour(head, look.isDark),
      shift: (place - (view.heads.length - 1) / 2) * apart,
    }));
    this.least = Math.max(1, Math.ceil(view.threshold * content.steps));
    const shown = { ...this.arcsOf(), count: this.showHidden() };
    this.legend.textContent = fillText(hasHaze(shown.count) ? labels.haze_legend : labels.arc_legend, {
      strong: STRONG,
    });
    const draw = (isDraft) => {
      this.images = arcsImages(shown, arcs.width, arcs.height, look.ratio, isDraft);
    };
    const isDraft = shown.count > DRAFT_FROM;
    draw(isDraft);
    clearTimeout(this.timer);
    if (isDraft)
      this.timer = setTimeout(() => {
        draw(false);
        this.paintLit();
      }, REST);
  }

  // What `arcsImages` paints, of all tokens or of one.
  arcsOf(token = null) {
    const { heads, layout, least, module, view } = this;
    const mask = module.maskIn(view.layer);
    const [starts, ends, cells] = [[], [], []];
    for (let i = 0, cell = 0; i < module.queries.length; i++) {
      for (let j = 0; j < module.keys.length; j++, cell++) {
        if (!mask[cell] || (token && (token[0] === "query" ? i : j) !== token[1])) continue;
        starts.push(layout.middle(i));
        ends.push(layout.middle(j));
        cells.push(cell);
      }
    }
    return { starts, ends, cells, heads, least, unit: this.content.steps, count: cells.length * heads.length };
  }

  layOut() {
    const { module, look } = this;
    this.layout = layOutArcs(module, this.view.heads.length, this.width, look.font, this.hasNumbers);
    const { arcs, width, height, margin, rowHeight } = this.layout;
    this.plot.paintBase(width, height, this.width, look);
    this.plot.canvas.style.marginLeft = `${margin}px`;
    Object.assign(this.plot.canvas.dataset, { left: arcs.x, right: arcs.x + arcs.width, top: arcs.y, row: rowHeight });
  }

  // How many arcs, and how much of their weight, the threshold hides -> how many it leaves.
  showHidden() {
    const { heads, labels, least, module, view } = this;
    const all = heads.length * module.allowed[view.layer];
    const [count, mass] = view.threshold === 0 ? [all, 0] : hiddenBelow(least, heads);
    const words = {
      threshold: view.threshold.toFixed(4),
      hidden: all - count,
      shown: all,
      mass: (100 * mass).toFixed(1),
    };
    this.slider.value = Math.round(Math.sqrt(view.threshold) * STEPS);
    this.slider.setAttribute("aria-valuetext", fillText(labels.hidden, words));
    this.hiddenText.replaceChildren(...fillNodes(labels.hidden, words));
    return count;
  }

  moveTo(token) {
    if (String(token) === String(this.cursor)) return;
    this.cursor = token;
    this.paintLit();
  }

  keep(token) {
    if (token) this.change({ token: String(token) === String(this.view.token) ? null : token });
  }

  paintLit() {
    const { lit, look, module, labels } = this;
    if (lit) this.makeRoomForNumbers();
    const { layout } = this;
    this.plot.paintOver((context) => {
      const { arcs } = layout;
      const draw = (images) =>
        images.forEach((image) => context.drawImage(image, arcs.x, arcs.y, arcs.width, arcs.height));
      context.globalAlpha = lit ? DIMMED : 1;
      draw(this.images);
      context.globalAlpha = 1;
      if (lit) {
        draw(arcsImages(this.arcsOf(lit), arcs.width, arcs.height, look.ratio));
        paintLit(context, layout, module, this.matrices, lit, look, this.isOnDark, labels);
      }
      paintTokens(context, layout, module, lit, look, [labels[`query_${module.name}`], labels[`key_${module.name}`]]);
    });
    this.plot.say({
      spoken: fillText(labels.arcs, {
        title: labels[module.name],
        layer: this.view.layer + 1,
        rows: module.queries.length,
        columns: module.keys.length,
        hint: labels.arcs_hint,
      }),
      readout: lit ? this.describe(lit) : [labels.arcs_hint],
      isQuiet: !lit,
    });
    afterNextFrame(() => {
      this.plot.summarise(this.describe(this.lit ?? ["query", 0]));
      if (this.makeRoomForNumbers()) this.paintLit();
    });
  }

  makeRoomForNumbers() {
    if (this.hasNumbers) return false;
    this.hasNumbers = true;
    this.layOut();
    return true;
  }

  // A token, and for each head the three tokens on the other side with the largest weights.
  describe([side, place]) {
    const { labels, module } = this;
    const name =
      side === "query"
        ? fillNodes(labels[`row_${module.name}`], {
            i: place + 1,
            query: module.queries[place],
            predicted: module.predicted[place] ?? "",
          })
        : fillNodes(labels.is_attended, { key: fillNodes(labels.key_side, { j: place + 1, key: module.keys[place] }) });
    const others = side === "query" ? module.keys : module.queries;
    const lines = this.matrices.map((matrix) => {
      const tokens = others
        .map((_, n) => n)
        .filter((n) => allowed(matrix, side, place, n))
        .sort((a, b) => weightOf(matrix, side, place, b) - weightOf(matrix, side, place, a))
        .slice(0, 3)
        .flatMap((n, rank) => [
          rank ? labels.separator : "",
          ...fillNodes(labels.arc_token, {
            index: n + 1,
            token: others[n],
            weight: weightOf(matrix, side, place, n).toFixed(4),
          }),
        ]);
      const nodes = fillNodes(labels.head_line, {
        head: matrix.head + 1,
        tokens: tokens.length ? tokens : [labels.masked],
      });
      return element(
        "span",
        { className: "head-line", style: `--hue: rgb(${headColour(matrix.head, this.isOnDark)})` },
        ...nodes,
      );
    });
    return [...name, ...lines];
  }

  onKey(key) {
    const [side, place] = this.lit ?? ["query", 0];
    const count = (one) => (one === "query" ? this.module.queries : this.module.keys).length;
    const within = (one, n) => [one, Math.max(0, Math.min(n, count(one) - 1))];
    const target = {
      ArrowUp: [side, place - 1],
      ArrowDown: [side, place + 1],
      Home: [side, 0],
      End: [side, Infinity],
      ArrowLeft: ["query", place],
      ArrowRight: ["key", place],
    }[key];
    if (target) this.moveTo(this.lit ? within(...target) : ["query", 0]);
    else if (key === "Enter") this.keep([side, place]);
    else if (key === "Escape" && this.lit) {
      this.cursor = null;
      this.change({ token: null });
    } else return false;
    return true;
  }

  fillTable(table) {
    const { labels, module } = this;
    const [side, place] = this.lit ?? ["query", 0];
    const [own, others] = side === "query" ? [module.queries, module.keys] : [module.keys, module.queries];
    const caption = fillNodes(side === "query" ? labels.query_table : labels.key_table, {
      index: place + 1,
      token: own[place],
    });
    const heads = this.matrices.map(({ head }) => fillText(labels.head_n, { head: head + 1 }));
    fillPlainTable(
      table,
      caption,
      heads,
      others.map((token, n) => [
        tokenNodes(token, n),
        ...this.matrices.map((matrix) =>
          allowed(matrix, side, place, n) ? numberText(weightOf(matrix, side, place, n)) : labels.masked,
        ),
      ]),
    );
  }
}

// -> how many weights are as large as `least` and larger, and which share of all of it is not.
function hiddenBelow(least, heads) {
  let [count, shown, whole] = [0, 0, 0];
  for (const { codes } of heads) {
    for (const code of codes) {
      whole += code;
      if (code < least) continue;
      shown += code;
      count += 1;
    }
  }
  return [count, whole === 0 ? 0 : 1 - shown / whole];
}
