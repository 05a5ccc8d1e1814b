// @ts-nocheck
// Axes, bars, lines and points on a canvas. Letters are large: a plot is read from the back of a lecture hall.

import { tickText as shortText } from "../kit/numbers.ts";

const HUES = {
  draw: "--st-gray-color",
  theory: "--st-red-color",
  scaled: "--st-primary-color",
  unscaled: "--st-red-color",
  other: "--st-violet-color",
  query: "--st-blue-color",
  key: "--st-orange-color",
};
// Types of layers: five that colour-blind eyes tell apart, on light and on dark pages.
const LAYERS = {
  attention: "#2f7fc1",
  recurrent: "#d55e00",
  convolution: "#009e73",
  dilated: "#b5489b",
  restricted: "#a07d12",
};
const DASH = [9, 6];

export function colourOf({ hue }, { style }) {
  return LAYERS[hue] ?? style.getPropertyValue(HUES[hue]).trim();
}

// 1024 is written out: it is a power of two. A million is not.
export function tickText(value) {
  if (Math.abs(value) >= 1e6)
    return Number(value.toPrecision(3)).toExponential().replace("e+", "e").replaceAll("-", "−");
  return Number.isInteger(value) && Math.abs(value) < 1e5 ? String(value).replaceAll("-", "−") : shortText(value);
}

// -> sizes, scales, ticks, and for each series where its points are: [x, y], or null for one that is not drawn.
export function layOutPlot({ x, y, series }, width) {
  const size = width < 370 ? 13 : width < 480 ? 15 : 17; // of the letters
  const isDrawn = (one, n) => one.y[n] !== null && !(y.log && one.y[n] <= 0);
  const across = series.flatMap((one) => one.x.filter((value) => value !== null && !(x.log && value <= 0)));
  const upwards = series.flatMap((one) =>
    one.y.flatMap((value, n) => {
      if (!isDrawn(one, n)) return [];
      const error = one.error?.[n] ?? 0;
      return [
        value + error,
        ...(y.log && value - error <= 0 ? [value] : [value - error]),
        ...(one.kind === "bars" && !y.log ? [0] : []),
      ];
    }),
  );
  const xRange = x.labels.length ? [-0.5, x.labels.length - 0.5] : rangeOf(across, x, 0);
  const yRange = rangeOf(upwards, y, 0.06);
  const yTicks = ticksOf(yRange, y, 5);
  const letter = 0.58 * size;
  const left = Math.ceil(size * 1.9 + letter * Math.max(...yTicks.map((tick) => tickText(tick).length)));
  const crowded =
    x.labels.length &&
    Math.max(...x.labels.map((label) => label.length)) * letter * x.labels.length > (width - left) * 0.95;
  const slanted = crowded ? Math.ceil(Math.max(...x.labels.map((label) => label.length)) * letter * 0.72) : 0;
  const bottom = Math.ceil(size * 3.1) + slanted;
  const height = Math.round(Math.max(250, Math.min(360, width * 0.62))) + slanted;
  const box = { left, right: width - 14, top: Math.ceil(size * 0.7), bottom: height - bottom };
  const px = scaleOf(xRange, x.log, box.left, box.right);
  const py = scaleOf(yRange, y.log, box.bottom, box.top);
  const xTicks = x.labels.length
    ? x.labels.map((_, n) => n)
    : ticksOf(xRange, x, Math.max(3, Math.floor((box.right - box.left) / (size * 5))));
  const points = series.map((one) =>
    one.y.map((value, n) => {
      const at = one.kind === "bars" ? (one.x[n] + one.x[n + 1]) / 2 : one.x[n];
      if (!isDrawn(one, n) || at === null || (x.log && at <= 0)) return null;
      return [px(at), py(value)];
    }),
  );
  return { width, height, size, box, px, py, xTicks, yTicks, points, slanted };
}

function rangeOf(values, axis, room) {
  let low = Math.min(...values, axis.low ?? Infinity);
  let high = Math.max(...values, axis.high ?? -Infinity);
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = axis.log ? [1, 10] : [0, 1];
  if (axis.log) {
    if (low === high) [low, high] = [low / axis.log, high * axis.log];
    const spread = (high / low) ** room;
    return [low / spread, high * spread];
  }
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const spread = (high - low) * room;
  return [
    low === 0 || low === axis.low ? low : low - spread,
    high === axis.high && axis.high === 0 ? high : high + spread,
  ];
}

function scaleOf([low, high], log, from, to) {
  const place = log ? Math.log : (value) => value;
  const [start, end] = [place(low), place(high)];
  return (value) => from + ((place(value) - start) / (end - start)) * (to - from);
}

function ticksOf([low, high], { log }, count) {
  if (log) {
    const [first, last] = [
      Math.ceil(Math.log(low) / Math.log(log) - 1e-9),
      Math.floor(Math.log(high) / Math.log(log) + 1e-9),
    ];
    const every = Math.max(1, Math.ceil((last - first + 1) / (count + 1)));
    const powers = Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n).filter(
      (n) => n % every === 0,
    );
    if (powers.length > 1) return powers.map((power) => log ** power);
  }
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((factor) => factor * unit >= rough) ?? 10);
  const ticks = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n++) ticks.push(n === 0 ? 0 : n * step);
  return ticks;
}

export function paintPlot(context, content, layout, look) {
  paintAxes(context, content, layout, look);
  const { box } = layout;
  context.save();
  context.beginPath();
  context.rect(box.left - 6, box.top - 6, box.right - box.left + 12, box.bottom - box.top + 12);
  context.clip();
  content.series.forEach((one, n) => paintSeries(context, one, layout.points[n], layout, look));
  context.restore();
}

function paintAxes(context, { x, y }, { box, size, px, py, xTicks, yTicks, width, height, slanted }, { text, font }) {
  context.strokeStyle = context.fillStyle = text;
  context.lineWidth = 1;
  context.font = `${size}px ${font}`;
  const line = (alpha, ...path) => {
    context.globalAlpha = alpha;
    context.beginPath();
    context.moveTo(path[0], path[1]);
    context.lineTo(path[2], path[3]);
    context.stroke();
    context.globalAlpha = 1;
  };
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const tick of yTicks) {
    const at = Math.round(py(tick)) + 0.5;
    line(0.14, box.left, at, box.right, at);
    context.fillText(tickText(tick), box.left - 7, at);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  xTicks.forEach((tick, n) => {
    const at = Math.round(px(tick)) + 0.5;
    line(0.5, at, box.bottom, at, box.bottom + 5);
    const label = x.labels[n] ?? tickText(tick);
    if (slanted) {
      context.save();
      context.translate(at + 4, box.bottom + 9);
      context.rotate(-Math.PI / 4);
      context.textAlign = "right";
      context.fillText(label, 0, 0);
      context.restore();
    } else {
      context.fillText(label, Math.min(at, width - context.measureText(label).width / 2), box.bottom + 9);
    }
  });
  line(0.5, box.left, box.bottom + 0.5, box.right, box.bottom + 0.5);
  context.font = `600 ${size}px ${font}`;
  context.textBaseline = "bottom";
  context.fillText(x.title, (box.left + box.right) / 2, height - 2, box.right - box.left + box.left);
  context.save();
  context.translate(0, (box.top + box.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textBaseline = "top";
  context.fillText(y.title, 0, 1, box.bottom - box.top + 40);
  context.restore();
}

function paintSeries(context, one, points, { box, px, py }, look) {
  const colour = colourOf(one, look);
  context.fillStyle = context.strokeStyle = colour;
  if (one.kind === "bars") {
    context.globalAlpha = 0.55;
    one.y.forEach((_, n) => {
      if (!points[n]) return;
      const [from, to] = [px(one.x[n]), px(one.x[n + 1])];
      context.fillRect(from, points[n][1], Math.max(1, to - from - (to - from > 4 ? 1 : 0)), box.bottom - points[n][1]);
    });
    context.globalAlpha = 1;
  } else if (one.kind === "line") {
    strokeLine(context, points, one.dashed);
  }
  if (one.error) {
    context.lineWidth = 2;
    one.error.forEach((error, n) => {
      if (!points[n] || error === null) return;
      const [low, high] = [one.y[n] - error, one.y[n] + error].map((value) =>
        Number.isFinite(py(value)) ? py(value) : box.bottom,
      );
      context.beginPath();
      context.moveTo(points[n][0], low);
      context.lineTo(points[n][0], high);
      for (const end of [low, high]) {
        context.moveTo(points[n][0] - 5, end);
        context.lineTo(points[n][0] + 5, end);
      }
      context.stroke();
    });
  }
  if (one.kind === "points") {
    for (const at of points) if (at) paintDot(context, at, 5);
  }
}

function strokeLine(context, points, dashed) {
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.setLineDash(dashed ? DASH : []);
  context.beginPath();
  let isDown = false;
  for (const at of points) {
    if (at) context[isDown ? "lineTo" : "moveTo"](...at);
    isDown = at !== null;
  }
  context.stroke();
  context.setLineDash([]);
}

function paintDot(context, [x, y], radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

export function paintMark(context, [x, y], colour, { box }, { text, background }) {
  context.strokeStyle = text;
  context.globalAlpha = 0.4;
  context.beginPath();
  context.moveTo(x, box.top);
  context.lineTo(x, box.bottom);
  context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = colour;
  paintDot(context, [x, y], 6);
  context.strokeStyle = background;
  context.lineWidth = 2;
  context.stroke();
}

export function paintSwatch(context, one, look) {
  context.fillStyle = context.strokeStyle = colourOf(one, look);
  if (one.kind === "bars") {
    context.globalAlpha = 0.55;
    context.fillRect(0, 1, 26, 10);
    context.globalAlpha = 1;
  } else if (one.kind === "line") {
    strokeLine(
      context,
      [
        [0, 6],
        [26, 6],
      ],
      one.dashed,
    );
  } else {
    paintDot(context, [13, 6], 5);
  }
}
