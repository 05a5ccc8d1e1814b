// Text to ids and back: tokenizers.py.
//
// Special tokens are plain entries of the vocabulary that no text can produce: a person who types `<s>` gets the three
// characters.

import { checkIds } from "./ids.ts";
import { SentenceError } from "./sentences.ts";
import { isSpace, type Sign, signsOf, stripped, textOf } from "./signs.ts";
import {
  END_ID,
  PAD_ID,
  readTokenizer,
  SPACE,
  SPECIAL_TOKENS,
  START_ID,
  type TokenizerFile,
  UNKNOWN_ID,
} from "./tokenizer_files.ts";

type Span = readonly [start: number, end: number]; // in code points of the text, the end exclusive

// The tokens of one text, without start and end.
export interface EncodedText {
  readonly text: string; // what was read
  readonly ids: readonly number[];
  readonly tokens: readonly string[]; // one label a token, to be shown; an unknown one's is the text that it stands for
  readonly unknown: readonly string[]; // the pieces of text that the vocabulary lacks, each once, in order
  readonly spans: readonly Span[]; // of each token in the text, without the space around it
}

// One token as the vocabulary cuts it.
interface Found {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

export class Tokenizer {
  readonly #file: TokenizerFile;
  readonly #pieces: readonly string[]; // by id

  // Throws: a SentenceError where the JSON is not that of one of this project's tokenizers.
  constructor(json: string) {
    this.#file = readTokenizer(json);
    const pieces: string[] = [];
    for (const [piece, id] of this.#file.vocab) pieces[id] = piece;
    this.#pieces = pieces;
  }

  get vocabSize(): number {
    return this.#pieces.length;
  }

  // An entry of the vocabulary as it stands there.
  piece(id: number): string | undefined {
    return this.#pieces[id];
  }

  // White space separates words and is not a token of its own.
  encode(text: string): EncodedText {
    const found = this.#found(signsOf(text));
    const labels = found.map(({ id }) => this.#labelOf(this.#pieces[id]));
    const unknown = found.flatMap(({ id }, place) => (id === UNKNOWN_ID ? [place] : []));
    if (unknown.length) {
      const read = [...this.#normalized(text)];
      const foundInRead = this.#found(signsOf(read.join(""))); // normalising twice changes nothing more
      const typed = [...text];
      for (const place of unknown) {
        const { start, end } = foundInRead[place];
        labels[place] = this.#unknownPiece(
          stripped(typed.slice(found[place].start, found[place].end)),
          stripped(read.slice(start, end)),
        );
      }
    }
    return {
      text,
      ids: found.map(({ id }) => id),
      tokens: labels,
      unknown: [...new Set(unknown.map((place) => labels[place]))],
      spans: spansIn(
        text,
        found.map(({ id }) => this.#pieces[id]),
        found,
      ),
    };
  }

  // Start, end and padding are left out, an unknown token reads `<unk>`.
  decode(ids: readonly number[]): string {
    checkIds("ids", ids, this.vocabSize);
    const kept = ids.filter((id) => id !== PAD_ID && id !== START_ID && id !== END_ID);
    return this.#file.form.join(kept.map((id) => this.#pieces[id]));
  }

  // What a chart shows for one vocabulary id.
  label(id: number): string {
    const piece = this.#pieces[id];
    if (piece === undefined) {
      throw new SentenceError("Token ids go from 0 to {last}; {id} was asked for.", { last: this.vocabSize - 1, id });
    }
    return SPECIAL_TOKENS.includes(piece) ? piece : this.#labelOf(piece);
  }

  #found(typed: readonly Sign[]): Found[] {
    const { form, encodeWord } = this.#file;
    return form.words(form.normalize(typed)).flatMap((word) =>
      encodeWord(word.map(({ sign }) => sign)).map(({ id, start, end }) => ({
        id,
        start: word[start].start,
        end: word[end - 1].end,
      })),
    );
  }

  #normalized(text: string): string {
    return textOf(this.#file.form.normalize(signsOf(text)));
  }

  // The typed text of one token; where that lacks a part of what was read, the text that was read. A letter and an
  // accent after it are read as one character, but only the letter's place is known.
  #unknownPiece(typed: string, read: string): string {
    return (this.#normalized(typed).includes(read) ? typed : read) || SPECIAL_TOKENS[UNKNOWN_ID];
  }

  // A word as people write it; where words are marked, the rest of a word reads as in WordPiece, `##ing`.
  #labelOf(piece: string): string {
    if (piece.startsWith(SPACE)) return piece.slice(1) || piece;
    return this.#file.form.marksWords && /^\p{L}/u.test(piece) ? `##${piece}` : piece;
  }
}

// Places include the space before a word, and where several typed characters are read as one, perhaps only the first.
function spansIn(text: string, pieces: readonly string[], found: readonly Found[]): Span[] {
  const signs = [...text];
  const isRead = new Uint8Array(signs.length);
  for (const { start, end } of found) isRead.fill(1, start, end);
  return found.map((place, n) => {
    let { start, end } = place;
    while (start < signs.length && isSpace(signs[start])) start++;
    while (end > 0 && isSpace(signs[end - 1])) end--;
    end = Math.max(start, end);
    if (pieces[n] === SPACE) return [start, start];
    while (end < signs.length && !isRead[end] && !isSpace(signs[end])) end++;
    return [start, end];
  });
}
