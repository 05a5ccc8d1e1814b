// What painters know as a canvas, written down as an SVG document: letters stay letters, lines stay lines. It has what
// our painters use of a canvas, and no more.

import type { Context } from "./canvas.ts";

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];
type Style = string | Gradient | Tile | CanvasGradient | CanvasPattern;

interface State {
  fillStyle: Style;
  strokeStyle: Style;
  globalAlpha: number;
  lineWidth: number;
  lineJoin: CanvasLineJoin;
  lineCap: CanvasLineCap;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  direction: CanvasDirection;
  imageSmoothingEnabled: boolean;
  matrix: Matrix;
  dash: readonly number[];
  clipped: string; // by which clipPath, or ""
}

const START: State = {
  fillStyle: "#000000",
  strokeStyle: "#000000",
  globalAlpha: 1,
  lineWidth: 1,
  lineJoin: "miter",
  lineCap: "butt",
  font: "10px sans-serif",
  textAlign: "start",
  textBaseline: "alphabetic",
  direction: "inherit",
  imageSmoothingEnabled: true,
  matrix: [1, 0, 0, 1, 0, 0],
  dash: [],
  clipped: "",
};
const LATIN = ['"Source Sans 3"', '"Helvetica Neue"', "Arial"]; // where ours is not installed, before the Chinese fonts
const MOST_CELLS = 4096; // pixels of an image that are drawn one by one, as shapes
const SHARP = 4; // device pixels that each pixel of a larger image takes at least

let ruler: OffscreenCanvasRenderingContext2D | null = null;
const colours = new Map<string, readonly [css: string, alpha: number]>();

export interface SvgContext extends State {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the state is assigned as a whole, in the constructor
export class SvgContext {
  readonly #saved: State[] = [];
  readonly #defs: string[] = [];
  readonly #body: string[] = [];
  readonly #names: string; // before the numbers of what is defined
  #count = { of: 0 };
  #group = ""; // that is open
  #d = ""; // of the path

  constructor(names = "d") {
    this.#names = names;
    Object.assign(this, START);
  }

  // The whole of it, for a file of its own.
  document(width: number, height: number, title: string): string {
    const size = `width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
      `<title>${escaped(title)}</title>`,
      `<style>text{white-space:pre}</style>`,
      `<defs>${this.#defs.join("")}</defs>`,
      `${this.#drawn()}</svg>\n`,
    ].join("\n");
  }

  // As painters take it.
  asContext(): Context {
    return this as unknown as Context;
  }

  // The commands of the current path.
  get path(): string {
    return this.#d;
  }

  save(): void {
    this.#saved.push(this.#state());
  }

  restore(): void {
    const state = this.#saved.pop();
    if (state) Object.assign(this, state);
  }

  transform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    const [p, q, r, s, t, u] = this.matrix;
    this.matrix = [p * a + r * b, q * a + s * b, p * c + r * d, q * c + s * d, p * e + r * f + t, q * e + s * f + u];
  }

  translate(x: number, y: number): void {
    this.transform(1, 0, 0, 1, x, y);
  }

  scale(x: number, y: number): void {
    this.transform(x, 0, 0, y, 0, 0);
  }

  rotate(angle: number): void {
    this.transform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0);
  }

  setLineDash(dash: readonly number[]): void {
    this.dash = [...dash];
  }

  beginPath(): void {
    this.#d = "";
  }

  moveTo(x: number, y: number): void {
    this.#d += `M${number(x)} ${number(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#d += `${this.#d ? "L" : "M"}${number(x)} ${number(y)}`;
  }

  bezierCurveTo(...points: [number, number, number, number, number, number]): void {
    this.#d += `C${points.map(number).join(" ")}`;
  }

  closePath(): void {
    this.#d += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#d += `M${number(x)} ${number(y)}h${number(width)}v${number(height)}h${number(-width)}Z`;
  }

  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const corner = (dx: number, dy: number) => `a${number(r)} ${number(r)} 0 0 1 ${number(dx * r)} ${number(dy * r)}`;
    const [across, down] = [number(width - 2 * r), number(height - 2 * r)];
    this.#d += `M${number(x + r)} ${number(y)}h${across}${corner(1, 1)}v${down}${corner(-1, 1)}`;
    this.#d += `h${number(2 * r - width)}${corner(-1, -1)}v${number(2 * r - height)}${corner(1, -1)}Z`;
  }

  // Clockwise, as all of ours are.
  arc(x: number, y: number, radius: number, from: number, to: number): void {
    const at = (angle: number) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
    const end = Math.min(to, from + 2 * Math.PI);
    const middle = (from + end) / 2; // in two halves: a whole circle would end where it starts
    this[this.#d.endsWith("Z") || !this.#d ? "moveTo" : "lineTo"](...at(from));
    for (const angle of [middle, end]) {
      this.#d += `A${number(radius)} ${number(radius)} 0 0 1 ${at(angle).map(number).join(" ")}`;
    }
  }

  // `path`: one of `pathFrom`, instead of the current one.
  fill(path?: { readonly d: string }): void {
    const d = path?.d ?? this.#d;
    if (d) this.#draw(`<path d="${d}"${this.#filled()}/>`);
  }

  stroke(path?: { readonly d: string }): void {
    const d = path?.d ?? this.#d;
    if (d) this.#draw(`<path d="${d}" fill="none"${this.#stroked()}/>`);
  }

  clip(): void {
    const id = this.#name();
    const within = this.clipped ? ` clip-path="url(#${this.clipped})"` : "";
    this.#defs.push(`<clipPath id="${id}"${within}><path d="${this.#d}"${transformOf(this.matrix)}/></clipPath>`);
    this.clipped = id;
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    if (width && height) this.#draw(`<rect${box(x, y, width, height)}${this.#filled()}/>`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#draw(`<rect${box(x, y, width, height)} fill="none"${this.#stroked()}/>`);
  }

  // A reader's fonts may be others than ours: the length keeps every text where it was.
  fillText(text: string, x: number, y: number, maxWidth = Number.POSITIVE_INFINITY): void {
    const { width, below } = this.#measured(text);
    if (!text.trim()) return;
    const [, style, size, family] = /^(.*?)([\d.]+)px\s+(.*)$/.exec(this.font) ?? ["", "", "10", "sans-serif"];
    const weight = /\b([1-9]00|bold)\b/.exec(style)?.[1];
    const anchor = { right: "end", end: "end", center: "middle", left: "", start: "" }[this.textAlign];
    const length = Math.min(width, Math.max(0, maxWidth));
    const about = [
      ` x="${number(x)}" y="${number(y + below)}"`,
      ` font-family="${escaped(fontsLike(family))}" font-size="${number(Number(size))}"`,
      weight && weight !== "400" ? ` font-weight="${weight}"` : "",
      /italic/.test(style) ? ` font-style="italic"` : "",
      anchor ? ` text-anchor="${anchor}"` : "",
      length > 0 ? ` textLength="${number(length)}" lengthAdjust="spacingAndGlyphs"` : "",
    ];
    this.#draw(`<text${about.join("")}${this.#filled()}>${escaped(text)}</text>`);
  }

  measureText(text: string): TextMetrics {
    const canvas = rulerWith(this.font);
    canvas.textBaseline = this.textBaseline;
    return canvas.measureText(text);
  }

  // An image of few pixels that are seen one by one becomes shapes, since not every reader of SVG leaves them sharp.
  drawImage(image: CanvasImageSource, ...places: number[]): void {
    const own = image as { width: number; height: number };
    const [x, y, width = own.width, height = own.height] = places;
    if (!this.imageSmoothingEnabled && own.width * own.height <= MOST_CELLS) {
      this.#drawCells(image, own.width, own.height, x, y, width / own.width, height / own.height);
      return;
    }
    const isSharp = !this.imageSmoothingEnabled;
    const times = isSharp ? Math.max(1, Math.ceil((SHARP * width) / own.width / 2)) : 1;
    const canvas = document.createElement("canvas"); // the only one that says at once what is on it
    canvas.width = own.width * times;
    canvas.height = own.height * times;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser gives no more canvases.");
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const look = isSharp ? ' style="image-rendering:pixelated"' : "";
    const alpha = this.globalAlpha === 1 ? "" : ` opacity="${number(this.globalAlpha)}"`;
    const source = ` preserveAspectRatio="none" href="${canvas.toDataURL("image/png")}"`;
    this.#draw(`<image${box(x, y, width, height)}${source}${look}${alpha}/>`);
  }

  createLinearGradient(...line: [number, number, number, number]): Gradient {
    return new Gradient(line);
  }

  // What `paint` paints on a square of `side`, again and again.
  tile(side: number, paint: (context: Context) => void): Tile {
    const context = new SvgContext(this.#names);
    context.#count = this.#count;
    paint(context.asContext());
    return new Tile(side, context.#drawn());
  }

  #drawCells(
    image: CanvasImageSource,
    columns: number,
    rows: number,
    x: number,
    y: number,
    wide: number,
    high: number,
  ): void {
    const canvas = new OffscreenCanvas(columns, rows).getContext("2d");
    if (!canvas) throw new Error("This browser gives no more canvases.");
    canvas.drawImage(image, 0, 0);
    const pixels = new Uint32Array(canvas.getImageData(0, 0, columns, rows).data.buffer);
    const paths = new Map<number, string>(); // by colour
    pixels.forEach((pixel, n) => {
      if (!(pixel >>> 24)) return;
      const [left, top] = [x + (n % columns) * wide, y + Math.floor(n / columns) * high];
      const cell = `M${number(left)} ${number(top)}h${number(wide)}v${number(high)}h${number(-wide)}Z`;
      paths.set(pixel, (paths.get(pixel) ?? "") + cell);
    });
    const alpha = this.globalAlpha === 1 ? "" : ` opacity="${number(this.globalAlpha)}"`;
    const shapes = [...paths].map(([pixel, d]) => {
      const [red, green, blue, opaque] = [0, 8, 16, 24].map((shift) => (pixel >>> shift) & 255);
      const faint = opaque === 255 ? "" : ` fill-opacity="${number(opaque / 255)}"`;
      return `<path d="${d}" fill="rgb(${red},${green},${blue})"${faint}/>`;
    });
    this.#draw(`<g shape-rendering="crispEdges"${alpha}>${shapes.join("")}</g>`);
  }

  // Things that are drawn in the same way share a group.
  #draw(thing: string): void {
    const clip = this.clipped ? `<g clip-path="url(#${this.clipped})">` : "";
    const group = `${clip}<g${transformOf(this.matrix)}>`;
    if (group !== this.#group) {
      if (this.#group) this.#body.push(closing(this.#group));
      this.#body.push(group);
      this.#group = group;
    }
    this.#body.push(thing);
  }

  #drawn(): string {
    return this.#body.join("") + closing(this.#group);
  }

  #filled(): string {
    const { css, alpha } = this.#inkOf(this.fillStyle);
    return ` fill="${css}"${alpha === 1 ? "" : ` fill-opacity="${number(alpha)}"`}`;
  }

  #stroked(): string {
    const { css, alpha } = this.#inkOf(this.strokeStyle);
    const { lineWidth, lineJoin, lineCap, dash } = this;
    return [
      ` stroke="${css}"`,
      alpha === 1 ? "" : ` stroke-opacity="${number(alpha)}"`,
      lineWidth === 1 ? "" : ` stroke-width="${number(lineWidth)}"`,
      lineJoin === "miter" ? "" : ` stroke-linejoin="${lineJoin}"`,
      lineCap === "butt" ? "" : ` stroke-linecap="${lineCap}"`,
      dash.length ? ` stroke-dasharray="${dash.map(number).join(" ")}"` : "",
    ].join("");
  }

  #inkOf(style: Style): { css: string; alpha: number } {
    if (typeof style === "string") {
      const [css, alpha] = plainColour(style);
      return { css, alpha: alpha * this.globalAlpha };
    }
    if (!(style instanceof Gradient) && !(style instanceof Tile)) throw new TypeError("a style of another canvas");
    style.id ??= this.#name();
    const def = style.definition();
    if (!this.#defs.includes(def)) this.#defs.push(def);
    return { css: `url(#${style.id})`, alpha: this.globalAlpha };
  }

  // The text's width, and how far its baseline lies below the line that it is set at.
  #measured(text: string): { width: number; below: number } {
    const canvas = rulerWith(this.font);
    canvas.textBaseline = this.textBaseline;
    const { width, fontBoundingBoxAscent: ascent = 0 } = canvas.measureText(text);
    canvas.textBaseline = "alphabetic";
    const { fontBoundingBoxAscent: full = 0 } = canvas.measureText(text);
    return { width, below: full - ascent };
  }

  #name(): string {
    return `${this.#names}${++this.#count.of}`;
  }

  #state(): State {
    const names = Object.keys(START) as (keyof State)[];
    return Object.fromEntries(names.map((name) => [name, this[name]])) as unknown as State;
  }
}

class Gradient {
  id: string | null = null;
  readonly #line: readonly number[];
  readonly #stops: string[] = [];

  constructor(line: readonly number[]) {
    this.#line = line;
  }

  addColorStop(at: number, colour: string): void {
    const [css, alpha] = plainColour(colour);
    const faint = alpha === 1 ? "" : ` stop-opacity="${number(alpha)}"`;
    this.#stops.push(`<stop offset="${number(at)}" stop-color="${css}"${faint}/>`);
  }

  definition(): string {
    const [x1, y1, x2, y2] = this.#line.map(number);
    const line = `gradientUnits="userSpaceOnUse" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"`;
    return `<linearGradient id="${this.id}" ${line}>${this.#stops.join("")}</linearGradient>`;
  }
}

class Tile {
  id: string | null = null;
  readonly #side: number;
  readonly #drawn: string;

  constructor(side: number, drawn: string) {
    this.#side = side;
    this.#drawn = drawn;
  }

  definition(): string {
    const { id } = this;
    const side = this.#side;
    const drawn = this.#drawn;
    return `<pattern id="${id}" patternUnits="userSpaceOnUse" width="${side}" height="${side}">${drawn}</pattern>`;
  }
}

// A path by its commands, for a canvas or for an SVG document.
export function pathFrom(context: Context, d: string): Path2D {
  return (context as unknown) instanceof SvgContext ? ({ d } as unknown as Path2D) : new Path2D(d);
}

export function svgContextOf(context: Context): SvgContext | null {
  const own: unknown = context;
  return own instanceof SvgContext ? own : null;
}

// What XML would read as its own, and what it has no place for: control characters by their pictures.
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r\x7f-\x9f]/gu, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)))
    .replace(/[\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"\r]/g, (one) => `&#${one.charCodeAt(0)};`);
}

function fontsLike(family: string): string {
  const [first, ...others] = family.split(/\s*,\s*/);
  return [...new Set([first, ...(others.length ? LATIN : []), ...others])].join(", ").replaceAll('"', "'");
}

function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function box(x: number, y: number, width: number, height: number): string {
  return ` x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}"`;
}

function transformOf(matrix: Matrix): string {
  if (String(matrix) === String(START.matrix)) return "";
  const exact = matrix.map((part) => Math.round(part * 1e6) / 1e6);
  return ` transform="matrix(${exact.join(" ")})"`;
}

function closing(group: string): string {
  return "</g>".repeat(group.split("<g").length - 1);
}

// Not every reader of SVG knows every notation of CSS.
function plainColour(css: string): readonly [css: string, alpha: number] {
  if (/^#[0-9a-f]{6}$/i.test(css)) return [css, 1];
  const known = colours.get(css) ?? painted(css);
  colours.set(css, known);
  return known;
}

function painted(css: string): readonly [css: string, alpha: number] {
  const plain = /^rgb\((\d+), ?(\d+), ?(\d+)\)$/.exec(css);
  if (plain) return [`rgb(${plain.slice(1).join(",")})`, 1];
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("This browser gives no more canvases.");
  context.fillStyle = css;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
  return [`rgb(${red},${green},${blue})`, alpha / 255];
}

function rulerWith(font: string): OffscreenCanvasRenderingContext2D {
  ruler ??= new OffscreenCanvas(1, 1).getContext("2d")!;
  ruler.font = font;
  return ruler;
}
