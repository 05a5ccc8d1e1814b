// Signs that nobody sees: a model reads those that its vocabulary knows, and no others; see visible.py.

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u; // controls, formats, surrogates, private, unassigned, line and paragraph breaks
const WHITE = "\t\n\r"; // are seen as white space
// A joiner between two parts of an emoji is not invisible: it makes them one picture.
const IN_EMOJI = /(?<=[\u2600-\u27bf\u{1f000}-\u{1faff}]|\ufe0f)\u200d(?=[\u2600-\u27bf\u{1f000}-\u{1faff}])/gu;

// The text with a marker, such as ⟨U+202E⟩, for each such sign in it.
export function visible(text: string): string {
  return replaced(text, new Set(text), (sign) => {
    const code = sign.codePointAt(0) as number;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

// The text without those signs of `unknown` that nobody sees.
export function withoutUnseen(text: string, unknown: string): string {
  return replaced(text, new Set(unknown), () => "");
}

function replaced(text: string, signs: ReadonlySet<string>, other: (sign: string) => string): string {
  const unseen = new Set([...signs].filter((sign) => UNSEEN.test(sign) && !WHITE.includes(sign)));
  if (!unseen.size) return text;
  const joiners = new Set(Array.from(text.matchAll(IN_EMOJI), ({ index }) => index));
  let at = 0;
  let kept = "";
  for (const sign of text) {
    kept += unseen.has(sign) && !joiners.has(at) ? other(sign) : sign;
    at += sign.length;
  }
  return kept;
}
