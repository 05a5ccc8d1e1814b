// @ts-nocheck
// The whole component: one clock for the tree, the tokens, the next-token bars and the attention rows.
//
// Only a newly chosen hypothesis is told to Python, which records the pass over it. All else stays in the browser,
// which keeps it in the link by itself.

import { isDark } from "../kit/colour.ts";
import { element, fillNodes, whenStyled } from "../kit/dom.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { arrange } from "../matrix/geometry.ts";
import { headWords } from "../matrix/words.ts";
import { Bars } from "../trace/bars.ts";
import { Controls } from "../trace/controls.ts";
import { Legend } from "../trace/legend.ts";
import { matrixOf } from "../trace/payload.ts";
import { CacheBox } from "./cache.ts";
import { keepInLink } from "./link.ts";
import { NBest } from "./n_best.ts";
import { causalMask } from "./payload.ts";
import { Strip } from "./strip.ts";
import { Tree } from "./tree.ts";
import { maskWords, whyNodes } from "./words.ts";

const REST = 250; // milliseconds without a change before the link is written
const COLUMN_GAP = 28;

export class DecodingPanel {
  constructor(parent, lastViews) {
    this.lastViews = lastViews;
    this.revision = null;
    this.controls = new Controls({ onChange: (change) => this.change(change), onPlay: () => this.keepSoon() });
    this.why = element("p", { className: "why", "data-testid": "dc-why" });
    this.tree = new Tree({
      onSelect: ({ level, rank }) => this.select([level, rank]),
      onStep: (step) => this.controls.goTo(step),
      onZoom: (zoom) => this.change({ zoom }),
    });
    this.soFarTitle = element("h4");
    this.soFar = element("div", { className: "so-far", role: "list", "data-testid": "dc-so-far" });
    this.bars = new Bars();
    this.strips = { cross: new Strip("cross"), decoder_self: new Strip("decoder_self") };
    this.loading = element("p", { className: "loading", role: "status", "data-testid": "dc-loading" });
    this.moment = element(
      "div",
      { className: "moment" },
      element("div", {}, this.soFarTitle, this.soFar, this.bars.element),
      element("div", {}, this.strips.cross.element, this.strips.decoder_self.element),
    );
    this.nBest = new NBest({ onAlpha: (rerank) => this.change({ rerank }), onSelect: (node) => this.select(node) });
    this.legend = new Legend();
    this.figures = ["cross", "decoder_self", "mask"].map(
      (name) =>
        new MatrixFigure(name, "tv", {
          onPin: (module, pinned) => this.change({ module, pinned }),
          onFocus: (module) => this.view.pinned || module === "mask" || this.change({ module }),
        }),
    );
    this.grid = element("div", { className: "matrices" }, ...this.figures.map((figure) => figure.element));
    this.cache = new CacheBox();
    this.keys = element("p", { className: "place keys" });
    this.hypothesis = element(
      "div",
      { className: "hypothesis" },
      this.loading,
      this.moment,
      this.legend.element,
      this.grid,
    );
    this.element = element(
      "div",
      { className: "view decoding", "data-testid": "dc-root" },
      this.controls.element,
      this.why,
      this.keys,
      this.tree.element,
      this.hypothesis,
      this.nBest.element,
      this.cache.element,
    );
    this.element.onkeydown = (event) => this.onKey(event);
    parent.append(this.element);

    this.resizes = new ResizeObserver(() => this.onResize());
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.refresh());
    this.onNavigate = () => this.revision && this.keepSoon(); // Streamlit has written a link of its own
    globalThis.navigation?.addEventListener("currententrychange", this.onNavigate);
  }

  // Called with every new data and theme. Only a new search moves the view, and leaves layer, head and zoom as they are.
  show({ request, search, trace, node }, commit) {
    Object.assign(this, { commit, search, trace, key: request.key, labels: request.labels });
    this.tracedNode = node;
    if (request.revision !== this.revision) {
      this.controls.stop();
      const last = this.lastViews.get(this.key);
      const { layer, head, zoom } = last?.view ?? request.view;
      this.view = last?.revision === request.revision ? last.view : { ...request.view, layer, head, zoom };
      this.revision = request.revision;
    }
    this.view = this.clamp(this.view);
    this.setLabels();
    this.refresh();
    this.keepSoon();
  }

  setLabels() {
    const { labels } = this;
    for (const part of [this.controls, this.legend, this.bars, this.nBest, this.cache]) part.setLabels(labels);
    this.tree.setLabels(labels, this.search.method);
    for (const figure of this.figures) {
      figure.setWords(figure.name === "mask" ? maskWords(labels) : headWords(figure.name, labels), labels);
    }
    this.soFarTitle.textContent = labels.so_far;
    this.loading.textContent = labels.loading;
    this.keys.textContent = labels.keys;
  }

  clamp(view) {
    const within = (index, count) => Math.max(0, Math.min(index, count - 1));
    const { search, trace } = this;
    const zoom = view.zoom === null ? null : within(view.zoom, 3);
    return {
      ...view,
      zoom,
      step: within(view.step, search.levels.length),
      layer: within(view.layer, trace.layers),
      head: within(view.head, trace.heads),
    };
  }

  change(change) {
    this.view = this.clamp({ ...this.view, ...change });
    this.lastViews.set(this.key, { revision: this.revision, view: this.view });
    this.render();
    this.keepSoon();
  }

  select(node) {
    this.controls.stop();
    this.change({ node, pinned: null });
    this.keep(); // the run that follows reads the link
    this.commit({ revision: this.revision, node });
  }

  keepSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), REST);
  }

  keep() {
    clearTimeout(this.timer);
    keepInLink(this.view, this.search);
  }

  refresh() {
    this.layOut();
    this.render();
  }

  // Sizes and colours: they change with the trace, the width and the theme, not with the clock.
  layOut() {
    this.width = this.grid.clientWidth;
    if (this.width === 0 || !this.trace) return; // hidden, in a closed tab for instance
    const style = getComputedStyle(this.element);
    const background = style.getPropertyValue("--st-background-color");
    this.mask = causalMask(this.trace, isDark(background));
    const modules = [...this.trace.modules, this.mask];
    const { columns, geometry } = arrange({ modules }, this.width, COLUMN_GAP, style.fontFamily, devicePixelRatio);
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.grid.style.columnGap = `${COLUMN_GAP}px`;
    for (const figure of this.figures) {
      figure.setLook(geometry, {
        text: style.color,
        background,
        accent: style.getPropertyValue("--st-primary-color"),
        hue: getComputedStyle(figure.element).getPropertyValue("--hue"),
        font: style.fontFamily,
        ratio: devicePixelRatio,
      });
    }
  }

  render() {
    const { search, trace, view, labels } = this;
    if (!search) return;
    const length = trace.read.length;
    const row = Math.min(view.step, length - 1); // of the shown hypothesis, which may have ended before
    const padded = (tokens) => search.levels.map((_, step) => tokens[step] ?? "");
    this.controls.update(
      { ...trace, read: padded(trace.read), predicted: padded(trace.predicted), ended: length },
      view,
    );
    const node = search.pathTo(search.at(this.tracedNode))[row];
    this.why.replaceChildren(element("bdi", { textContent: `«${node.token}» ` }), ...whyNodes(search, node, labels));
    this.tree.update(search, view);
    this.nBest.update(search, view);
    this.cache.update(search, view.step);
    const isLoading = String(this.tracedNode) !== String(view.node);
    this.loading.hidden = !isLoading;
    this.hypothesis.classList.toggle("waiting", isLoading);
    this.hypothesis.setAttribute("aria-busy", String(isLoading));
    this.bars.update(trace.next[row], row);
    this.renderSoFar(row);
    for (const name of ["cross", "decoder_self"]) this.renderStrip(name, row);
    if (this.width === 0) return;
    for (const figure of this.figures) {
      const module = trace.modules.find(({ name }) => name === figure.name);
      const matrix = module ? matrixOf(trace, module, view.layer, view.head) : this.mask;
      figure.update(matrix, row, figure.name === view.module ? this.pinnedIn(matrix) : null);
    }
  }

  pinnedIn({ queries, keys }) {
    const { pinned } = this.view;
    return pinned && pinned[0] < queries.length && pinned[1] < keys.length ? pinned : null;
  }

  // What row `row` reads, and the token that it predicts, counted as the rows count them.
  renderSoFar(row) {
    const { trace, labels } = this;
    const tokens = [...trace.read.slice(0, row + 1), trace.predicted[row]];
    this.soFar.replaceChildren(
      ...tokens.map((token, n) =>
        element(
          "span",
          { className: n > row ? "new" : "", role: "listitem", title: n > row ? labels.so_far_new : "" },
          element("small", { textContent: n + 1 }),
          " ",
          element("bdi", { textContent: token }),
        ),
      ),
    );
    this.soFar.scrollTop = this.soFar.scrollHeight; // a long output scrolls in its box, and the newest token is at the end
  }

  renderStrip(name, row) {
    const { trace, view, labels } = this;
    const module = trace.modules.find((one) => one.name === name);
    const matrix = matrixOf(trace, module, view.layer, view.head);
    const columns = matrix.keys.length;
    const note = fillNodes(labels.row_cross_now, {
      row: row + 1,
      next: row + 2,
      read: matrix.queries[row],
      predicted: matrix.predicted[row],
    });
    this.strips[name].update(
      labels[`strip_${name}`],
      note,
      matrix.keys,
      matrix.values.subarray(row * columns, (row + 1) * columns),
      matrix.mask.subarray(row * columns, (row + 1) * columns),
      labels.strip_later,
    );
  }

  onResize() {
    if (this.trace && this.grid.clientWidth !== this.width) this.refresh();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    const isSlider = target.tagName === "INPUT";
    const { step } = this.view;
    const digit = Number(event.key);
    const steps = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: this.search.levels.length - 1 };
    if (event.key in steps && !isSlider) {
      this.controls.goTo(steps[event.key]);
    } else if (event.key === " " && !["BUTTON", "SUMMARY"].includes(target.tagName)) {
      this.controls.toggle();
    } else if (digit >= 1 && digit <= this.trace.heads) {
      this.change({ head: digit - 1 });
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  remove() {
    this.controls.stop();
    clearTimeout(this.timer);
    globalThis.navigation?.removeEventListener("currententrychange", this.onNavigate);
    this.resizes.disconnect();
    this.element.remove();
  }
}
