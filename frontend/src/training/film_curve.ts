// @ts-nocheck
// Loss and shares over the steps of a run, with a mark at the snapshot that is shown.

import { element, fillText } from "../kit/dom.ts";
import { tickText } from "../kit/numbers.ts";

const HEIGHT = 168;
const MARGIN = { left: 46, right: 46, top: 10, bottom: 34 };
const SVG = "http://www.w3.org/2000/svg";
// name in the numbers of a snapshot -> text in the labels
const SHARES = { token_accuracy: "token_share", exact_match: "exact_share" };

export class FilmCurve {
  constructor(onChoose) {
    this.svg = svg("svg", { height: HEIGHT, role: "img", "data-testid": "fv-curve" });
    this.legend = element("div", { className: "legend", "data-testid": "fv-legend" });
    this.element = element("div", { className: "film-curve" }, this.svg, this.legend);
    const choose = (event) => event.buttons & 1 && onChoose(this.nearest(event.clientX));
    this.svg.onpointerdown = (event) => {
      this.svg.setPointerCapture(event.pointerId);
      choose(event);
    };
    this.svg.onpointermove = choose;
  }

  nearest(clientX) {
    const x = clientX - this.svg.getBoundingClientRect().left;
    const distances = this.film.snapshots.map(({ step }) => Math.abs(this.x(step) - x));
    return distances.indexOf(Math.min(...distances));
  }

  x(step) {
    return MARGIN.left + (step / this.film.steps) * (this.width - MARGIN.left - MARGIN.right);
  }

  y(share) {
    return MARGIN.top + (1 - share) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  }

  update(film, at, labels, width) {
    if (this.film !== film || this.width !== width) {
      Object.assign(this, { film, width });
      this.paint(labels);
    }
    const step = film.snapshots[at].step;
    this.mark.setAttribute("transform", `translate(${this.x(step)} 0)`);
  }

  paint(labels) {
    const { film, svg: picture } = this;
    const losses = [...film.curve.map(([, loss]) => loss), ...film.snapshots.map(({ numbers }) => numbers.valid_loss)];
    const highest = Math.max(...losses.filter((loss) => loss != null), 0.01);
    const held = (name, scale) =>
      film.snapshots.map(({ step, numbers }) => [step, numbers[name] == null ? null : numbers[name] / scale]);
    const series = [
      ["training", "training_loss", film.curve.map(([step, loss]) => [step, loss == null ? null : loss / highest])],
      ["held-out", "held_out_loss", held("valid_loss", highest)],
      ...Object.entries(SHARES).map(([name, label]) => [name, label, held(name, 1)]),
    ].filter(([, , points]) => points.some(([, value]) => value != null));
    picture.setAttribute("width", this.width);
    picture.setAttribute("aria-label", labels.curve);
    this.mark = svg("line", { class: "mark-line", y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom });
    picture.replaceChildren(
      svg("title", {}, labels.curve),
      ...this.axes(
        labels,
        highest,
        series.some(([kind]) => kind in SHARES),
      ),
      ...film.snapshots.map(({ step }) =>
        svg("line", { class: "tick-mark", x1: this.x(step), x2: this.x(step), y1: this.y(0), y2: this.y(0) + 5 }),
      ),
      ...series.map(([kind, , points]) => svg("path", { class: `line ${kind}`, d: this.path(points) })),
      this.mark,
    );
    this.legend.replaceChildren(
      ...series.map(([kind, label]) =>
        element(
          "span",
          { className: "entry" },
          svg(
            "svg",
            { width: 26, height: 8, "aria-hidden": "true" },
            svg("path", { class: `line ${kind}`, d: "M0 4H26" }),
          ),
          labels[label],
        ),
      ),
    );
  }

  axes(labels, highest, hasShares) {
    const [left, right, bottom] = [MARGIN.left, this.width - MARGIN.right, this.y(0)];
    const text = (x, y, content, anchor) => svg("text", { x, y, "text-anchor": anchor }, content);
    const marks = [0, 0.5, 1];
    const isWide = this.width > 480;
    return [
      svg("path", { class: "axis", d: `M${left} ${this.y(1)}V${bottom}H${right}${hasShares ? `V${this.y(1)}` : ""}` }),
      ...marks.map((share) => text(left - 6, this.y(share) + 4, tickText(share * highest), "end")),
      ...(hasShares ? marks.map((share) => text(right + 6, this.y(share) + 4, `${share * 100} %`, "start")) : []),
      ...(isWide ? [0, 0.25, 0.5, 0.75, 1] : marks).map((share) =>
        text(this.x(share * this.film.steps), bottom + 17, String(Math.round(share * this.film.steps)), "middle"),
      ),
      text((left + right) / 2, HEIGHT - 3, labels.steps_axis, "middle"),
      text(left - 6, this.y(0.75) + 4, labels.loss_axis, "end"),
      ...(hasShares ? [text(right + 6, this.y(0.75) + 4, labels.share_axis, "start")] : []),
    ];
  }

  // A gap where a number is missing.
  path(points) {
    let isDrawing = false;
    return points
      .map(([step, value]) => {
        if (value == null) {
          isDrawing = false;
          return "";
        }
        const command = isDrawing ? "L" : "M";
        isDrawing = true;
        return `${command}${this.x(step).toFixed(1)} ${this.y(value).toFixed(1)}`;
      })
      .join("");
  }
}

// What was measured at a snapshot, as sentences.
export function numberTexts({ numbers }, labels) {
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const texts = { valid_loss: (loss) => loss.toFixed(3), token_accuracy: percent, exact_match: percent };
  return Object.entries(texts)
    .filter(([name]) => numbers[name] != null)
    .map(([name, textOf]) => fillText(labels[name], { value: textOf(numbers[name]) }));
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
