// What a view shows, painted anew: on a canvas for a PNG, in any resolution, or into an SVG document, where letters stay
// letters. Boxes and texts are painted where the browser has laid them out, canvases and drawings from their own shapes.

import { type Context, cleared, painterOf } from "./canvas.ts";
import { hatch } from "./colour.ts";
import { element } from "./dom.ts";
import { pathFrom, SvgContext } from "./svg_context.ts";

export const RATIO = 2; // device pixels in a CSS pixel of a PNG
const MARGIN = 16; // CSS pixels around the picture
const MOST = 16_000; // device pixels of a side that every browser can paint
const PICTURED = "pictured"; // a class: while it is set, the style sheet hides what pictures leave out
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const SHAPES = "path, rect, circle, line";

export interface Picture {
  readonly width: number; // CSS pixels
  readonly height: number;
  // `ratio`: device pixels in a CSS pixel of the context.
  paint(context: Context, ratio: number): void;
}

type Paint = (context: Context, ratio: number) => void;

interface Part {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly paint: Paint;
}

// The picture of an element, with its title above it, and below it legends that stand elsewhere on the page. These are
// added, measured and removed at once, so that nobody sees them there.
export function pictureOf(root: HTMLElement, title: string, below: readonly HTMLElement[] = []): Picture {
  const scrolled = [...root.querySelectorAll("*")].filter((node) => node.scrollLeft || node.scrollTop);
  const places = scrolled.map((node) => [node, node.scrollLeft, node.scrollTop] as const);
  const added = [...(title ? [element("p", { className: "title", textContent: title })] : []), ...below];
  if (title) root.prepend(added[0]);
  root.append(...below);
  root.classList.add(PICTURED);
  const parts: Part[] = [];
  try {
    collect(root, 1, parts);
  } finally {
    root.classList.remove(PICTURED);
    for (const node of added) node.remove();
    for (const [node, left, top] of places) node.scrollTo({ left, top, behavior: "instant" });
  }
  const background = getComputedStyle(root).getPropertyValue("--st-background-color");
  const left = Math.min(...parts.map((part) => part.left)) - MARGIN;
  const top = Math.min(...parts.map((part) => part.top)) - MARGIN;
  const width = Math.ceil(Math.max(...parts.map((part) => part.right)) + MARGIN - left);
  const height = Math.ceil(Math.max(...parts.map((part) => part.bottom)) + MARGIN - top);
  return {
    width,
    height,
    paint: (context, ratio) => {
      context.fillStyle = background;
      context.fillRect(0, 0, width, height);
      context.translate(-left, -top);
      for (const part of parts) {
        context.save();
        part.paint(context, ratio);
        context.restore();
      }
    },
  };
}

export function pngOf(picture: Picture): Promise<Blob> {
  const { width, height } = picture;
  const ratio = Math.min(RATIO, MOST / Math.max(width, height));
  const canvas = new OffscreenCanvas(Math.round(width * ratio), Math.round(height * ratio));
  picture.paint(cleared(canvas, ratio), ratio);
  return canvas.convertToBlob({ type: "image/png" });
}

export function svgOf(picture: Picture, title: string): Blob {
  const context = new SvgContext();
  picture.paint(context.asContext(), RATIO);
  return new Blob([context.document(picture.width, picture.height, title)], { type: "image/svg+xml" });
}

function collect(node: Element, above: number, parts: Part[]): void {
  const style = getComputedStyle(node);
  if (style.display === "none" || !node.checkVisibility()) return;
  const alpha = above * Number(style.opacity);
  if (alpha === 0) return;
  const add = addTo(parts, alpha);
  if (node instanceof SVGSVGElement) {
    add(node.getBoundingClientRect(), () => {}); // all of it, margins included
    for (const child of node.children) collectShape(child, alpha, parts);
    return;
  }
  const isShown = style.visibility === "visible";
  if (isShown) collectBox(node, style, add);
  if (node instanceof HTMLCanvasElement) {
    if (isShown) collectCanvas(node, add);
    return;
  }
  const inside: Part[] = [];
  for (const child of node.childNodes) {
    if (child instanceof Element) collect(child, alpha, inside);
    else if (child instanceof Text && isShown) collectText(child, style, addTo(inside, alpha));
  }
  const isCut =
    style.overflowX !== "visible" && (node.scrollWidth > node.clientWidth + 1 || style.overflowX === "hidden");
  parts.push(...(isCut && inside.length ? [cut(node.getBoundingClientRect(), inside)] : inside));
}

type Add = (rect: Rect, paint: Paint) => void;
type Rect = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

function addTo(parts: Part[], alpha: number): Add {
  return ({ left, top, right, bottom }, paint) => {
    const faint: Paint = (context, ratio) => {
      context.globalAlpha = alpha;
      paint(context, ratio);
    };
    parts.push({ left, top, right, bottom, paint: faint });
  };
}

// What is cut off on the page is cut off in the picture, too.
function cut({ left, top, right, bottom }: Rect, inside: readonly Part[]): Part {
  const paint: Paint = (context, ratio) => {
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    for (const part of inside) {
      context.save();
      part.paint(context, ratio);
      context.restore();
    }
  };
  return { left, top, right, bottom, paint };
}

function collectCanvas(node: HTMLCanvasElement, add: Add): void {
  const rect = node.getBoundingClientRect();
  if (!rect.width || !rect.height) return;
  const painter = painterOf(node);
  add(rect, (context, ratio) => {
    context.translate(rect.left, rect.top);
    if (painter) painter(context, ratio);
    else context.drawImage(node, 0, 0, rect.width, rect.height);
  });
}

// Background, border and the ring around what is chosen.
function collectBox(node: Element, style: CSSStyleDeclaration, add: Add): void {
  for (const rect of node.getClientRects()) {
    const { left, top, width, height } = rect;
    if (!width || !height) continue;
    const radius = Number.parseFloat(style.borderTopLeftRadius) || 0;
    const outline = (context: Context, grown: number) => {
      context.beginPath();
      const round = Math.max(0, radius + (radius ? grown : 0));
      context.roundRect(left - grown, top - grown, width + 2 * grown, height + 2 * grown, round);
    };
    const { backgroundColor } = style;
    if (isSeen(backgroundColor)) {
      add(rect, (context) => {
        context.fillStyle = backgroundColor;
        outline(context, 0);
        context.fill();
      });
    }
    collectGradient(rect, style, add);
    collectBorder(rect, style, outline, add);
    for (const [spread, colour] of ringsOf(style.boxShadow)) {
      add(grownBy(rect, Math.max(0, spread)), (context) => {
        context.strokeStyle = colour;
        context.lineWidth = Math.abs(spread);
        outline(context, spread / 2);
        context.stroke();
      });
    }
    const ring = style.outlineStyle === "none" ? 0 : Number.parseFloat(style.outlineWidth);
    const colour = style.outlineColor;
    if (ring && !node.matches(":focus")) {
      add(grownBy(rect, ring), (context) => {
        context.strokeStyle = colour;
        context.lineWidth = ring;
        outline(context, ring / 2);
        context.stroke();
      });
    }
  }
}

// The gradients that our style sheets use: the colours of a scale from left to right, and hatching.
function collectGradient(rect: DOMRect, { backgroundImage, color }: CSSStyleDeclaration, add: Add): void {
  const { left, right, top, width, height } = rect;
  if (backgroundImage.startsWith("repeating-linear-gradient")) {
    add(rect, (context, ratio) => {
      context.fillStyle = hatch(context, color, ratio);
      context.fillRect(left, top, width, height);
    });
  } else if (backgroundImage.startsWith("linear-gradient(to right")) {
    const colours = backgroundImage.match(/rgba?\([^)]*\)/g) ?? [];
    add(rect, (context) => {
      const gradient = context.createLinearGradient(left, 0, right, 0);
      colours.forEach((colour, n) => {
        gradient.addColorStop(n / Math.max(1, colours.length - 1), colour);
      });
      context.fillStyle = gradient;
      context.fillRect(left, top, width, height);
    });
  }
}

function collectBorder(
  rect: DOMRect,
  style: CSSStyleDeclaration,
  outline: (context: Context, grown: number) => void,
  add: Add,
): void {
  const sides = (["Top", "Right", "Bottom", "Left"] as const).map((side) => {
    const line = style[`border${side}Style`];
    const width = line === "none" || line === "hidden" ? 0 : Number.parseFloat(style[`border${side}Width`]);
    const colour = style[`border${side}Color`];
    return { line, colour, width: isSeen(colour) ? width : 0 };
  });
  const [first] = sides;
  if (sides.every(({ width }) => width === 0)) return;
  if (sides.every((side) => JSON.stringify(side) === JSON.stringify(first))) {
    const { line, colour, width } = first;
    add(rect, (context) => {
      context.strokeStyle = colour;
      const third = width / 3;
      if (line === "dashed") context.setLineDash([3 * width, 2 * width]);
      if (line === "dotted") context.setLineDash([width, width]);
      context.lineWidth = line === "double" ? third : width;
      for (const inside of line === "double" ? [third / 2, 2.5 * third] : [width / 2]) {
        outline(context, -inside);
        context.stroke();
      }
    });
    return;
  }
  const { left, right, top, bottom } = rect;
  const [above, after, below, before] = sides;
  const boxes = [
    [above, left, top, right - left, above.width],
    [after, right - after.width, top, after.width, bottom - top],
    [below, left, bottom - below.width, right - left, below.width],
    [before, left, top, before.width, bottom - top],
  ] as const;
  for (const [{ width, colour }, ...box] of boxes) {
    if (!width) continue;
    add(rect, (context) => {
      context.fillStyle = colour;
      context.fillRect(...box);
    });
  }
}

// Rings that are drawn as `box-shadow: 0 0 0 2px`; those within the box (inset) have a negative spread.
function ringsOf(shadow: string): (readonly [spread: number, colour: string])[] {
  const rings = shadow.matchAll(/((?:rgba?|color)\([^)]*\)) 0px 0px 0px ([\d.]+)px( inset)?/g);
  return [...rings].map(([, colour, spread, inset]) => [(inset ? -1 : 1) * Number(spread), colour] as const);
}

function collectText(node: Text, style: CSSStyleDeclaration, add: Add): void {
  if (!node.data.trim()) return;
  const font = fontOf(style);
  const { color } = style;
  for (const [text, rect] of linesOf(node, style)) {
    add(rect, (context) => {
      context.font = font;
      context.fillStyle = color;
      context.textAlign = "left";
      context.textBaseline = "alphabetic";
      const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText(text);
      const baseline = rect.top + (rect.bottom - rect.top - ascent - descent) / 2 + ascent;
      context.fillText(text, rect.left, baseline, rect.right - rect.left + 0.5);
    });
  }
}

// A text as its lines, each where it stands. White space that the page does not show has no width.
function linesOf(node: Text, { whiteSpaceCollapse }: CSSStyleDeclaration): (readonly [string, DOMRect])[] {
  const isKept = whiteSpaceCollapse?.startsWith("preserve");
  const range = document.createRange();
  const lines: { from: number; to: number; top: number }[] = [];
  for (const { index, segment } of graphemes.segment(node.data)) {
    range.setStart(node, index);
    range.setEnd(node, index + segment.length);
    const rect = [...range.getClientRects()].find(({ width }) => width > 0);
    if (!rect) continue;
    const line = lines.at(-1);
    if (line && Math.abs(line.top - rect.top) < rect.height / 2) line.to = index + segment.length;
    else lines.push({ from: index, to: index + segment.length, top: rect.top });
  }
  return lines.map(({ from, to }) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    const text = node.data.slice(from, to);
    return [isKept ? text : text.replace(/\s+/g, " "), range.getBoundingClientRect()] as const;
  });
}

// A shape of a drawing, in its own coordinates.
function collectShape(node: Element, above: number, parts: Part[]): void {
  const style = getComputedStyle(node);
  const alpha = above * Number(style.opacity);
  if (!(node instanceof SVGGraphicsElement) || style.display === "none" || style.visibility !== "visible") return;
  if (node instanceof SVGTextElement) {
    collectLetters(node, alpha, parts);
    return;
  }
  if (!node.matches(SHAPES)) {
    for (const child of node.children) collectShape(child, alpha, parts);
    return;
  }
  const [d, matrix] = [commandsOf(node as SVGGeometryElement), node.getScreenCTM()];
  if (!d || !matrix) return;
  const { fill, stroke, fillOpacity, strokeOpacity, strokeWidth, strokeDasharray, strokeLinejoin } = style;
  const colour = style.color;
  const tip = node.getAttribute("marker-end") && tipOf(node as SVGPathElement);
  addTo(parts, alpha)(node.getBoundingClientRect(), (context) => {
    context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
    const path = pathFrom(context, d);
    if (fill !== "none") {
      context.globalAlpha = alpha * Number(fillOpacity);
      context.fillStyle = fill;
      context.fill(path);
    }
    if (stroke !== "none" && Number.parseFloat(strokeWidth) > 0) {
      context.globalAlpha = alpha * Number(strokeOpacity);
      context.strokeStyle = stroke;
      context.lineWidth = Number.parseFloat(strokeWidth);
      context.lineJoin = strokeLinejoin as CanvasLineJoin;
      context.setLineDash(strokeDasharray === "none" ? [] : strokeDasharray.split(/[ ,]+/).map(Number.parseFloat));
      context.stroke(path);
    }
    if (tip) {
      context.fillStyle = colour;
      context.fill(pathFrom(context, tip));
    }
  });
}

function commandsOf(node: SVGGeometryElement): string {
  const at = (name: string) => Number(node.getAttribute(name) ?? 0);
  if (node instanceof SVGPathElement) return node.getAttribute("d") ?? "";
  if (node instanceof SVGLineElement) return `M${at("x1")} ${at("y1")}L${at("x2")} ${at("y2")}`;
  const shape = new SvgContext();
  shape.beginPath();
  if (node instanceof SVGCircleElement) {
    // Its radius may come from the style sheet.
    shape.arc(at("cx"), at("cy"), node.r.baseVal.value || Number.parseFloat(getComputedStyle(node).r), 0, 2 * Math.PI);
    shape.closePath();
  } else if (at("rx")) shape.roundRect(at("x"), at("y"), at("width"), at("height"), at("rx"));
  else shape.rect(at("x"), at("y"), at("width"), at("height"));
  return shape.path;
}

// The arrow's head: a triangle that ends where the line ends.
function tipOf(line: SVGPathElement): string {
  const [long, half] = [5.5, 3.2]; // pixels
  const length = line.getTotalLength();
  const [end, before] = [line.getPointAtLength(length), line.getPointAtLength(length - 1)];
  const [dx, dy] = [end.x - before.x, end.y - before.y];
  const corner = (side: number) => `${end.x - long * dx - side * half * dy} ${end.y - long * dy + side * half * dx}`;
  return `M${end.x} ${end.y}L${corner(1)}L${corner(-1)}Z`;
}

function collectLetters(node: SVGTextElement, alpha: number, parts: Part[]): void {
  const lines = node.querySelectorAll("tspan");
  for (const line of lines.length ? lines : [node]) {
    const [text, matrix] = [line.textContent, node.getScreenCTM()];
    if (!text?.trim() || !matrix) continue;
    const style = getComputedStyle(line);
    const [font, { fill }] = [fontOf(style), style];
    const { x } = line.getStartPositionOfChar(0);
    const { y, height } = line.getExtentOfChar(0);
    const width = line.getComputedTextLength();
    addTo(parts, alpha)(node.getBoundingClientRect(), (context) => {
      context.transform(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f);
      context.font = font;
      context.fillStyle = fill;
      context.textAlign = "left";
      context.textBaseline = "alphabetic";
      const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = context.measureText(text);
      context.fillText(text, x, y + (height - ascent - descent) / 2 + ascent, width + 0.5);
    });
  }
}

function fontOf({ fontStyle, fontWeight, fontSize, fontFamily }: CSSStyleDeclaration): string {
  return `${fontStyle === "normal" ? "" : `${fontStyle} `}${fontWeight} ${fontSize} ${fontFamily}`;
}

function isSeen(colour: string): boolean {
  return colour !== "transparent" && !/^(rgba\(.*, 0\)|color\(.*\/ 0\))$/.test(colour);
}

function grownBy({ left, top, right, bottom }: Rect, by: number): Rect {
  return { left: left - by, top: top - by, right: right + by, bottom: bottom + by };
}
