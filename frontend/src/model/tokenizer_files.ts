// The tokenizers that this project writes, read from their JSON: three known forms, of which a file gives the vocabulary
// and its merges; see tokenizer_files.py.

import { BytePairs, type Piece } from "./byte_pairs.ts";
import { brief, SentenceError } from "./sentences.ts";
import { cut, normalized, type Sign } from "./signs.ts";

const UNKNOWN = "<unk>";
export const SPECIAL_TOKENS = ["<pad>", "<s>", "</s>", UNKNOWN]; // ids 0, 1, 2, 3 in every vocabulary
export const [PAD_ID, START_ID, END_ID, UNKNOWN_ID] = [0, 1, 2, 3];
export const SPACE = "▁"; // stands for the space before a word, as in SentencePiece
const MAX_PIECE = 256; // characters of one vocabulary entry
const MAX_PARTS = 2 ** 18; // lists and objects in a file

const CLITIC = "'(?:[sdmt]|ll|re|ve)(?!\\p{L})";
// A clitic, or, with the space before it, a word, one digit, or one other character.
const WORDS = `${CLITIC}|${SPACE}?(?:[\\p{L}\\p{M}]+|\\p{N}|[^\\p{L}\\p{M}\\p{N}${SPACE}])`;
// A run of Han characters, a word, one digit, one other.
const HAN = "\\p{Han}+|[^\\P{L}\\p{Han}]+|\\p{N}|[^\\p{L}\\p{N}]";

// How one form cuts a text into words and puts pieces together again.
export interface Form {
  readonly marksWords: boolean; // whether a piece that begins a word says so
  normalize(signs: readonly Sign[]): readonly Sign[];
  words(signs: readonly Sign[]): (readonly Sign[])[];
  join(pieces: readonly string[]): string;
}

export interface TokenizerFile {
  readonly form: Form;
  readonly vocab: ReadonlyMap<string, number>;
  readonly encodeWord: (word: readonly string[]) => readonly Piece[];
}

const withoutSpaces = (signs: readonly Sign[]) =>
  cut(signs, /\P{White_Space}+/gu).flatMap(({ signs, isMatch }) => (isMatch ? [signs] : []));

// Single characters, spaces between them optional.
const SYMBOLS: Form = {
  marksWords: false,
  normalize: (signs) => signs,
  words: (signs) => withoutSpaces(signs).flatMap((word) => word.map((sign) => [sign])),
  join: (pieces) => pieces.join(" "),
};

// Runs of Han characters, words, digits and signs.
const CHINESE: Form = {
  marksWords: false,
  normalize: normalized,
  words: (signs) => withoutSpaces(signs).flatMap((word) => cutBy(word, HAN.replaceAll("p{Han}", "p{Script=Han}"))),
  join: (pieces) => pieces.join(""),
};

// Words, each with the space before it, digits and signs.
const SPACED: Form = {
  marksWords: true,
  normalize: normalized,
  words(signs) {
    if (!signs.length) return [];
    const marked = signs.map((one) => (one.sign === " " ? { ...one, sign: SPACE } : one));
    return cutBy(marked[0].sign === SPACE ? marked : [{ ...marked[0], sign: SPACE }, ...marked], WORDS);
  },
  join: (pieces) => pieces.map((piece, n) => piece.replaceAll(SPACE, n ? " " : "")).join(""),
};

function cutBy(signs: readonly Sign[], pattern: string): (readonly Sign[])[] {
  return cut(signs, new RegExp(pattern, "gu")).map(({ signs }) => signs);
}

// The fields of each form's file, but for its vocabulary and merges; those of its model as "model.field".
const regex = (pattern: string) => ({ Regex: pattern });
const split = (pattern: string) => ({ type: "Split", pattern: regex(pattern), behavior: "Isolated", invert: false });
const sequence = (...pretokenizers: object[]) => ({ type: "Sequence", pretokenizers });
const metaspace = { type: "Metaspace", replacement: SPACE, prepend_scheme: "always", split: false };
const COMMON = { version: "1.0", truncation: null, padding: null, added_tokens: [], post_processor: null };
const PIECES = {
  ...COMMON,
  normalizer: {
    type: "Sequence",
    normalizers: [
      { type: "NFKC" },
      { type: "Replace", pattern: regex("[‘’]"), content: "'" },
      { type: "Replace", pattern: regex("[“”]"), content: '"' },
      { type: "Replace", pattern: regex("\\s+"), content: " " },
      { type: "Strip", strip_left: true, strip_right: true },
    ],
  },
  "model.type": "BPE",
  "model.dropout": null,
  "model.unk_token": UNKNOWN,
  "model.continuing_subword_prefix": null,
  "model.end_of_word_suffix": null,
  "model.fuse_unk": false,
  "model.byte_fallback": false,
  "model.ignore_merges": false,
};
const FORMS: readonly (readonly [Form, Readonly<Record<string, unknown>>])[] = [
  [
    SYMBOLS,
    {
      ...COMMON,
      normalizer: null,
      pre_tokenizer: sequence({ type: "WhitespaceSplit" }, split(".")),
      decoder: null,
      "model.type": "WordLevel",
      "model.unk_token": UNKNOWN,
    },
  ],
  [CHINESE, { ...PIECES, pre_tokenizer: sequence({ type: "WhitespaceSplit" }, split(HAN)), decoder: { type: "Fuse" } }],
  [SPACED, { ...PIECES, pre_tokenizer: sequence(metaspace, split(WORDS)), decoder: metaspace }],
];

// Throws: a SentenceError that names the field that is wrong.
export function readTokenizer(text: string): TokenizerFile {
  const { "model.vocab": entries, "model.merges": merges, ...fields } = fieldsIn(text);
  const form = formOf(fields);
  const vocab = checkedVocab(entries);
  if (fields["model.type"] === "WordLevel") {
    if (merges !== undefined) throw new SentenceError("A vocabulary of single characters has no merges.");
    const idOf = (sign: string) => vocab.get(sign) ?? UNKNOWN_ID;
    return { form, vocab, encodeWord: ([sign]) => [{ id: idOf(sign), start: 0, end: 1 }] };
  }
  const bytePairs = new BytePairs(vocab, checkedMerges(merges, vocab), UNKNOWN_ID);
  return { form, vocab, encodeWord: (word) => bytePairs.encode(word) };
}

function fieldsIn(text: string): Record<string, unknown> {
  if ((text.match(/[[{]/g) ?? []).length > MAX_PARTS) {
    throw new SentenceError("A tokenizer has at most {limit} lists and objects; this file has more.", {
      limit: MAX_PARTS,
    });
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new SentenceError("The tokenizer is not JSON.");
  }
  if (isObject(data) && data.type === "SentencePiece") {
    throw new SentenceError("Models with SentencePiece tokenizers, such as imported ones, cannot be run in a browser.");
  }
  if (!isObject(data) || !isObject(data.model)) {
    throw new SentenceError('A tokenizer is a JSON object with an object "model"; this is something else.');
  }
  const { model, ...others } = data;
  return {
    ...Object.fromEntries(Object.entries(model as object).map(([name, value]) => [`model.${name}`, value])),
    ...others,
  };
}

function formOf(fields: Readonly<Record<string, unknown>>): Form {
  let forms = FORMS;
  // First the two that tell the forms apart.
  const names = new Set([
    "model.type",
    "decoder",
    ...FORMS.flatMap(([, known]) => Object.keys(known)),
    ...Object.keys(fields),
  ]);
  for (const name of names) {
    const allowed = forms.map(([, known]) => known[name]);
    forms = forms.filter(([, known]) => inOrder(known[name]) === inOrder(fields[name]));
    if (!forms.length) {
      throw new SentenceError(
        "The field {name} is {value}; in the tokenizers that this project writes and loads it is {choices}.",
        {
          name: brief(name),
          value: brief(fields[name]),
          choices: [...new Set(allowed.map((value) => JSON.stringify(value)))].join(" or "),
        },
      );
    }
  }
  return forms[0][0];
}

// As JSON with the fields of objects in order, so that equal values have equal texts.
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_name, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function checkedVocab(entries: unknown): ReadonlyMap<string, number> {
  if (!isObject(entries) || !Object.values(entries).every(Number.isInteger)) {
    throw new SentenceError("The field 'model.vocab' must give each piece of text a whole number, its id.");
  }
  const vocab = new Map(Object.entries(entries as Record<string, number>));
  const ids = new Set(vocab.values());
  if (ids.size !== vocab.size || [...ids].some((id) => id < 0 || id >= vocab.size)) {
    throw new SentenceError("The ids in 'model.vocab' must be 0 to {last}, each once.", { last: vocab.size - 1 });
  }
  for (const piece of vocab.keys()) {
    const length = [...piece].length;
    if (!(length >= 1 && length <= MAX_PIECE && piece.isWellFormed())) {
      throw new SentenceError(
        "A piece in 'model.vocab' must have 1 to {limit} characters, and no half characters (lone surrogates); it is " +
          "{piece}.",
        { limit: MAX_PIECE, piece: brief(piece) },
      );
    }
  }
  for (const [id, token] of SPECIAL_TOKENS.entries()) {
    if (vocab.get(token) !== id) {
      throw new SentenceError("A tokenizer's first ids must be {tokens}; id {id} is another.", {
        tokens: SPECIAL_TOKENS.join(", "),
        id,
      });
    }
  }
  return vocab;
}

function checkedMerges(merges: unknown, vocab: ReadonlyMap<string, number>): [string, string][] {
  if (!Array.isArray(merges)) throw new SentenceError("The field 'model.merges' must be a list of pairs.");
  for (const merge of merges) {
    const isPair = Array.isArray(merge) && merge.length === 2 && merge.every((piece) => typeof piece === "string");
    if (!isPair || ![...merge, merge.join("")].every((piece) => vocab.has(piece))) {
      throw new SentenceError(
        "An entry of 'model.merges' must be a pair of pieces that are both in 'model.vocab', and so must the two " +
          "joined together; it is {merge}.",
        { merge: brief(merge) },
      );
    }
  }
  return merges;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
