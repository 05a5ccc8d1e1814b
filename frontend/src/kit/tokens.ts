// @ts-nocheck
// Tokens as labels: verbatim, shortened in the middle where there is no room.

const ruler = new OffscreenCanvas(1, 1).getContext("2d");
const cache = new Map();
let graphemes = null; // made when a token has to be cut, since making it takes 20 ms

export function textWidth(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

// -> {text, width}
export function shorten(token, font, maxWidth) {
  const key = `${font}\n${maxWidth}\n${token}`;
  if (!cache.has(key)) {
    if (cache.size > 5000) cache.clear();
    cache.set(key, fit(visible(token), font, maxWidth));
  }
  return cache.get(key);
}

// A token of white space only would be drawn as nothing.
function visible(token) {
  return /^\s+$/.test(token) ? token.replace(/\n/g, "⏎").replace(/\t/g, "⇥").replace(/\s/g, "␣") : token;
}

function fit(token, font, maxWidth) {
  const width = textWidth(token, font);
  if (width <= maxWidth) return { text: token, width };
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" }); // never cut an emoji in two
  const parts = Array.from(graphemes.segment(token), (part) => part.segment);
  for (let kept = parts.length - 1; kept > 0; kept--) {
    const head = Math.ceil(kept / 2);
    const text = parts.slice(0, head).join("") + "…" + parts.slice(parts.length - (kept - head)).join("");
    const shortWidth = textWidth(text, font);
    if (shortWidth <= maxWidth) return { text, width: shortWidth };
  }
  return { text: "…", width: textWidth("…", font) };
}
