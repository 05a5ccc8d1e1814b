// Tokens as labels: verbatim, shortened in the middle where there is no room.

export interface Label {
  readonly text: string;
  readonly width: number;
}

const cache = new Map<string, Label>();
let ruler: OffscreenCanvasRenderingContext2D | null = null;
let graphemes: Intl.Segmenter | null = null; // made when a token has to be cut, since making it takes 20 ms

export function textWidth(text: string, font: string): number {
  ruler ??= new OffscreenCanvas(1, 1).getContext("2d")!;
  ruler.font = font;
  return ruler.measureText(text).width;
}

export function shorten(token: string, font: string, maxWidth: number): Label {
  const key = `${font}\n${maxWidth}\n${token}`;
  const known = cache.get(key);
  if (known) return known;
  if (cache.size > 5000) cache.clear();
  const label = fit(visible(token), maxWidth, (text) => textWidth(text, font));
  cache.set(key, label);
  return label;
}

// A token of white space only would be drawn as nothing.
export function visible(token: string): string {
  return /^\s+$/.test(token) ? token.replace(/\n/g, "⏎").replace(/\t/g, "⇥").replace(/\s/g, "␣") : token;
}

// As much of both ends as there is room for.
export function fit(token: string, maxWidth: number, widthOf: (text: string) => number): Label {
  const width = widthOf(token);
  if (width <= maxWidth) return { text: token, width };
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" }); // never cut an emoji in two
  const parts = Array.from(graphemes.segment(token), (part) => part.segment);
  for (let kept = parts.length - 1; kept > 0; kept--) {
    const head = Math.ceil(kept / 2);
    const text = `${parts.slice(0, head).join("")}…${parts.slice(parts.length - (kept - head)).join("")}`;
    const shortWidth = widthOf(text);
    if (shortWidth <= maxWidth) return { text, width: shortWidth };
  }
  return { text: "…", width: widthOf("…") };
}
