// A text as its code points, each with the place in the typed text that it comes from, which survives normalisation.
//
// Places count code points, as Python's do; a JavaScript string counts half of an emoji as one.

export interface Sign {
  readonly sign: string;
  readonly start: number;
  readonly end: number;
}

export function signsOf(text: string): Sign[] {
  return Array.from(text, (sign, n) => ({ sign, start: n, end: n + 1 }));
}

export function textOf(signs: readonly Sign[]): string {
  return signs.map(({ sign }) => sign).join("");
}

// The matches of a pattern, and what lies between them.
export function cut(signs: readonly Sign[], pattern: RegExp): { signs: readonly Sign[]; isMatch: boolean }[] {
  const text = textOf(signs);
  const pieces: { signs: readonly Sign[]; isMatch: boolean }[] = [];
  let at = 0; // in signs
  let end = 0; // in text
  const take = (piece: string, isMatch: boolean) => {
    const count = [...piece].length;
    if (count) pieces.push({ signs: signs.slice(at, at + count), isMatch });
    at += count;
    end += piece.length;
  };
  for (const { 0: match, index } of text.matchAll(pattern)) {
    take(text.slice(end, index), false);
    take(match, true);
  }
  take(text.slice(end), false);
  return pieces;
}

// What the tokenizers of languages read: NFKC, straight quotes, one space between words and none around them.
export function normalized(signs: readonly Sign[]): Sign[] {
  const straight = nfkc(signs).map(({ sign, ...place }) => ({ sign: STRAIGHT.get(sign) ?? sign, ...place }));
  const spaced = cut(straight, /\p{White_Space}+/gu).flatMap(({ signs, isMatch }) =>
    isMatch ? [{ ...signs[signs.length - 1], sign: " " }] : signs,
  );
  const isSpace = (sign: Sign | undefined) => sign?.sign === " ";
  return spaced.slice(isSpace(spaced[0]) ? 1 : 0, isSpace(spaced.at(-1)) ? -1 : undefined);
}

const STRAIGHT = new Map([
  ["‘", "'"],
  ["’", "'"],
  ["“", '"'],
  ["”", '"'],
]);

// What came into Unicode after the tables of the library that Python uses, which leaves it as it is.
const NEWER = new RegExp(
  "[\\u32ff\\ua7f1-\\ua7f4\\uab69\\u{10781}-\\u{10785}\\u{10787}-\\u{107b0}\\u{107b2}-\\u{107ba}\\u{1ccd6}-\\u{1ccf9}" +
    "\\u{1e030}-\\u{1e06d}\\u{1f16c}\\u{1fbf0}-\\u{1fbf9}]",
  "u",
);

// What can reorder or compose with a sign before it: marks, and vowels and finals of Korean syllables.
const JOINS = /[\p{M}\u1160-\u11ff]/u;

interface Change {
  readonly sign: string;
  readonly change: number; // 1: inserted after the sign before; 0: in place of one sign; −n: in place of 1 + n signs
}

// NFKC. JavaScript's gives the text and no places, so it is asked for one base letter and its marks at a time. Each sign
// gets the place of the first one that it replaces; where marks changed their order, that of the one that stood there.
function nfkc(signs: readonly Sign[]): Sign[] {
  const result: Sign[] = [];
  let read = 0;
  for (const cluster of clusters(signs.flatMap(({ sign }) => decomposed(sign)))) {
    for (const { sign, change } of composed(cluster)) {
      const { start, end } = signs[change > 0 ? read - 1 : read];
      result.push({ sign, start, end });
      read += 1 - Math.min(change, 1);
    }
  }
  return result;
}

function decomposed(sign: string): Change[] {
  const parts = NEWER.test(sign) ? [sign] : [...sign.normalize("NFKD")];
  return parts.map((part, n) => ({ sign: part, change: Math.min(n, 1) }));
}

function clusters(changes: readonly Change[]): Change[][] {
  const found: Change[][] = [];
  for (const one of changes) {
    if (found.length && JOINS.test(one.sign)) (found.at(-1) as Change[]).push(one);
    else found.push([one]);
  }
  return found;
}

function composed(cluster: readonly Change[]): readonly Change[] {
  if (cluster.length === 1) return cluster;
  const text = cluster.map(({ sign }) => sign).join("");
  const left = [...cluster];
  const take = (sign: string): Change =>
    left.splice(
      left.findIndex((one) => one.sign === sign),
      1,
    )[0];
  const inOrder = Array.from(text.normalize("NFD"), take);
  left.push(...inOrder);
  return Array.from(text.normalize("NFC"), (sign) => {
    const parts = Array.from(sign.normalize("NFD"), take);
    return { sign, change: parts.reduce((total, { change }) => total + change - 1, 1) };
  });
}

// As Python's `str.isspace` has it, which counts four separators of old among white space.
export function isSpace(sign: string): boolean {
  return /^\p{White_Space}$/u.test(sign) || ("\x1c" <= sign && sign <= "\x1f");
}

// Without white space at its ends.
export function stripped(signs: readonly string[]): string {
  const first = signs.findIndex((sign) => !isSpace(sign));
  const last = signs.findLastIndex((sign) => !isSpace(sign));
  return first < 0 ? "" : signs.slice(first, last + 1).join("");
}
