// A canvas that remembers what was painted on it, in the coordinates of its own pixels, so that a test can hold every
// cell, line and text against the numbers that were sent. Only what the painters use; anything else is a TypeError.

type Matrix = readonly [number, number, number, number, number, number];

interface State {
  fillStyle: unknown;
  strokeStyle: unknown;
  globalAlpha: number;
  globalCompositeOperation: string;
  lineWidth: number;
  lineCap: string;
  lineJoin: string;
  font: string;
  textAlign: string;
  textBaseline: string;
  direction: string;
  imageSmoothingEnabled: boolean;
  filter: string;
  lineDash: readonly number[];
  matrix: Matrix;
}

export type Point = readonly [number, number];

// One thing that was painted, and with what.
export interface Painted {
  readonly kind: "rect" | "outline" | "text" | "image" | "fill" | "stroke" | "clear";
  readonly style: unknown; // of the fill or the stroke
  readonly alpha: number;
  readonly lineWidth: number;
  readonly font: string;
  readonly align: string;
  readonly dash: readonly number[];
  // The corners of what is painted: of a rectangle or an image top left and bottom right, of a text where it is set, of
  // a path every point on it, the control points of its curves among them.
  readonly points: readonly Point[];
  readonly starts: readonly number[]; // of a path: at which points the pen is put down anew
  readonly text: string;
  readonly image: unknown;
}

const FIRST: State = {
  fillStyle: "#000000",
  strokeStyle: "#000000",
  globalAlpha: 1,
  globalCompositeOperation: "source-over",
  lineWidth: 1,
  lineCap: "butt",
  lineJoin: "miter",
  font: "10px sans-serif",
  textAlign: "start",
  textBaseline: "alphabetic",
  direction: "inherit",
  imageSmoothingEnabled: true,
  filter: "none",
  lineDash: [],
  matrix: [1, 0, 0, 1, 0, 0],
};

export const LETTER = 6; // pixels that every character is wide

export interface RecordingContext extends State {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the state is assigned as a whole, in the constructor
export class RecordingContext {
  readonly painted: Painted[] = [];
  readonly canvas: RecordingCanvas;
  private readonly saved: State[] = [];
  private path: Point[] = [];
  private starts: number[] = [];
  pixels: Uint8ClampedArray; // of putImageData

  constructor(canvas: RecordingCanvas) {
    this.canvas = canvas;
    this.pixels = new Uint8ClampedArray(4 * canvas.width * canvas.height);
    Object.assign(this, FIRST);
  }

  save(): void {
    this.saved.push(this.state());
  }

  restore(): void {
    const state = this.saved.pop();
    if (state) Object.assign(this, state);
  }

  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    this.matrix = [a, b, c, d, e, f];
  }

  resetTransform(): void {
    this.matrix = FIRST.matrix;
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
    this.lineDash = [...dash];
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.record("rect", this.fillStyle, [this.at(x, y), this.at(x + width, y + height)]);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.record("outline", this.strokeStyle, [this.at(x, y), this.at(x + width, y + height)]);
  }

  clearRect(x: number, y: number, width: number, height: number): void {
    this.record("clear", null, [this.at(x, y), this.at(x + width, y + height)]);
  }

  fillText(text: string, x: number, y: number): void {
    this.record("text", this.fillStyle, [this.at(x, y)], text);
  }

  // `places`: x and y; x, y, width and height; or the four of a part of the image, and then those.
  drawImage(image: { width: number; height: number }, ...places: number[]): void {
    const [x, y, width = image.width, height = image.height] = places.length === 8 ? places.slice(4) : places;
    this.record("image", null, [this.at(x, y), this.at(x + width, y + height)], "", image);
  }

  beginPath(): void {
    this.path = [];
    this.starts = [];
  }

  closePath(): void {
    if (this.path.length) this.path.push(this.path[0]);
  }

  moveTo(x: number, y: number): void {
    this.starts.push(this.path.length);
    this.path.push(this.at(x, y));
  }

  lineTo(x: number, y: number): void {
    this.path.push(this.at(x, y));
  }

  bezierCurveTo(...points: number[]): void {
    for (let n = 0; n < points.length; n += 2) this.path.push(this.at(points[n], points[n + 1]));
  }

  quadraticCurveTo(...points: number[]): void {
    this.bezierCurveTo(...points);
  }

  // Recorded as two points: the centre, and the centre plus the radius.
  arc(x: number, y: number, radius: number): void {
    this.path.push(this.at(x, y), this.at(x + radius, y + radius));
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(this.at(x, y), this.at(x + width, y + height));
  }

  roundRect(x: number, y: number, width: number, height: number): void {
    this.rect(x, y, width, height);
  }

  clip(): void {}

  fill(path?: { points: readonly Point[] }): void {
    this.record("fill", this.fillStyle, path ? path.points.map(([x, y]) => this.at(x, y)) : this.path);
  }

  stroke(path?: { points: readonly Point[] }): void {
    this.record("stroke", this.strokeStyle, path ? path.points.map(([x, y]) => this.at(x, y)) : this.path);
  }

  measureText(text: string): { width: number } {
    return { width: LETTER * [...text].length };
  }

  createPattern(image: unknown): unknown {
    return { pattern: image, setTransform() {} };
  }

  createLinearGradient(...line: number[]): unknown {
    const stops: [number, string][] = [];
    return { line, stops, addColorStop: (at: number, colour: string) => stops.push([at, colour]) };
  }

  createImageData(width: number, height: number): ImageData {
    return { width, height, data: new Uint8ClampedArray(4 * width * height), colorSpace: "srgb" } as ImageData;
  }

  putImageData(image: ImageData, x: number, y: number): void {
    for (let row = 0; row < image.height; row++) {
      const own = image.data.subarray(4 * row * image.width, 4 * (row + 1) * image.width);
      this.pixels.set(own, 4 * ((y + row) * this.canvas.width + x));
    }
  }

  // A pixel of the fill colour: black for a colour that is called "dark", white for any other.
  getImageData(): { data: readonly number[] } {
    return { data: this.fillStyle === "dark" ? [0, 0, 0, 255] : [255, 255, 255, 255] };
  }

  // What was painted of one kind.
  of(kind: Painted["kind"]): Painted[] {
    return this.painted.filter((one) => one.kind === kind);
  }

  // Where a text was set, or null.
  placeOf(text: string): Point | null {
    return this.painted.find((one) => one.kind === "text" && one.text === text)?.points[0] ?? null;
  }

  private at(x: number, y: number): Point {
    const [a, b, c, d, e, f] = this.matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }

  private state(): State {
    const names = Object.keys(FIRST) as (keyof State)[];
    return Object.fromEntries(names.map((name) => [name, this[name]])) as unknown as State;
  }

  private record(
    kind: Painted["kind"],
    style: unknown,
    points: readonly Point[],
    text = "",
    image: unknown = null,
  ): void {
    this.painted.push({
      kind,
      style,
      alpha: this.globalAlpha,
      lineWidth: this.lineWidth,
      font: this.font,
      align: this.textAlign,
      dash: this.lineDash,
      points: [...points],
      starts: points === this.path ? [...this.starts] : [],
      text,
      image,
    });
  }
}

export class RecordingCanvas {
  readonly width: number;
  readonly height: number;
  readonly context: RecordingContext;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.context = new RecordingContext(this);
  }

  getContext(): RecordingContext {
    return this.context;
  }

  // The picture is the canvas itself, so that what was painted on it can be read.
  convertToBlob(): Promise<RecordingCanvas> {
    return Promise.resolve(this);
  }

  transferToImageBitmap(): RecordingCanvas {
    return this;
  }

  close(): void {}

  // Red, green, blue and alpha of a pixel that was put there.
  pixelAt(x: number, y: number): readonly number[] {
    const start = 4 * (y * this.width + x);
    return [...this.context.pixels.subarray(start, start + 4)];
  }
}

// A context as the painters' types have it.
export function recordingContext(width = 400, height = 300): CanvasRenderingContext2D & RecordingContext {
  return new RecordingCanvas(width, height).context as unknown as CanvasRenderingContext2D & RecordingContext;
}

// The painters make canvases of their own, for pictures of one pixel a cell and to measure texts.
class Transform {
  scale(): Transform {
    return this;
  }
}
Object.assign(globalThis, { OffscreenCanvas: RecordingCanvas, DOMMatrix: Transform });
