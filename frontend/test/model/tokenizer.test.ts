import assert from "node:assert/strict";
import { test } from "node:test";
import { BytePairs } from "../../src/model/byte_pairs.ts";
import { simplified } from "../../src/model/chinese.ts";
import { normalized, signsOf, textOf } from "../../src/model/signs.ts";
import { Tokenizer } from "../../src/model/tokenizer.ts";
import { Translator } from "../../src/model/translator.ts";
import { withoutUnseen } from "../../src/model/visible.ts";
import { filesOf } from "./files.ts";

function pairs(merges: string[], signs = "abcdelow"): (word: string) => string[] {
  const split = merges.map((merge) => merge.split(" ") as [string, string]);
  const vocab = new Map(["?", ...signs, ...split.map((pair) => pair.join(""))].map((piece, id) => [piece, id]));
  const bytePairs = new BytePairs(vocab, split, 0);
  return (word) => bytePairs.encode([...word]).map(({ start, end }) => [...word].slice(start, end).join(""));
}

test("pairs merge in the order of training, and of equal ones the leftmost first", () => {
  assert.deepEqual(pairs(["l o", "lo w"])("lowlo"), ["low", "lo"]);
  assert.deepEqual(pairs(["o w", "l o"])("low"), ["l", "ow"]);
  assert.deepEqual(pairs(["a a"])("aaa"), ["aa", "a"]);
  assert.deepEqual(pairs(["b c", "a b"])("abc"), ["a", "bc"]);
});

test("what the vocabulary lacks stays alone", () => {
  assert.deepEqual(pairs(["a b"])("ab😀ab"), ["ab", "😀", "ab"]);
});

test("a word of twenty thousand letters takes no minutes", () => {
  const began = performance.now();
  assert.equal(pairs(["a a", "aa aa", "aaaa aaaa"])("a".repeat(20_000)).length, 2500);
  assert.ok(performance.now() - began < 2000);
});

test("each character knows where it was typed", () => {
  const read = (text: string) => normalized(signsOf(text)).map(({ sign, start, end }) => [sign, start, end]);
  assert.deepEqual(read(" a  ﬁ"), [
    ["a", 1, 2],
    [" ", 3, 4],
    ["f", 4, 5],
    ["i", 4, 5],
  ]);
  assert.deepEqual(read("e\u0301x"), [
    ["é", 0, 1],
    ["x", 2, 3],
  ]);
  assert.deepEqual(read("q\u0307\u0323"), [
    ["q", 0, 1],
    ["\u0323", 1, 2],
    ["\u0307", 2, 3],
  ]);
  assert.deepEqual(read("😀’"), [
    ["😀", 0, 1],
    ["'", 1, 2],
  ]);
});

test("normalised as JavaScript does it, but for what Python's tables lack", () => {
  for (const text of ["ｶﾞ", "ㅎㅏㄴ", "é\u0323", "ﷺ", "½", "\u0344", "\u1e9b\u0323"])
    assert.equal(textOf(normalized(signsOf(text))), text.normalize("NFKC"));
  assert.equal(textOf(normalized(signsOf("\u32ff"))), "\u32ff");
});

test("signs that nobody sees are left out, but for joiners within an emoji", () => {
  assert.equal(withoutUnseen("a\u200bb👩\u200d👧", "\u200b\u200d"), "ab👩\u200d👧");
  assert.equal(withoutUnseen("a\u200b\n", "x\n"), "a\u200b\n");
});

test("the longest entries of a dictionary come first, and the next dictionary gets the rest", () => {
  assert.equal(
    simplified("abcab", [
      { ab: "1", abc: "2" },
      { a: "3", b: "4" },
    ]),
    "21",
  );
  assert.equal(simplified("cab", [{ bc: "1" }, { a: "3", b: "4" }]), "c34");
});

const { sourceTokenizer: DIGITS } = filesOf("copy");
const { sourceTokenizer: PIECES } = filesOf("zh-en");

test("what a person types as a special token is text", () => {
  const digits = new Tokenizer(DIGITS);
  assert.deepEqual(digits.encode("1 <s>").tokens, ["1", "<", "s", ">"]);
  assert.deepEqual(digits.encode("12 3"), {
    text: "12 3",
    ids: [5, 6, 7],
    tokens: ["1", "2", "3"],
    unknown: [],
    spans: [
      [0, 1],
      [1, 2],
      [3, 4],
    ],
  });
  assert.equal(digits.decode([1, 5, 3, 6, 2, 0]), "1 <unk> 2");
  assert.throws(() => digits.decode([14]), /whole numbers from 0 to 13; 14 is not/);
  assert.throws(() => digits.label(-1), /from 0 to 13; -1 was asked for/);
});

// The JSON of a shipped tokenizer, changed.
const changed = (json: string, change: (data: ReturnType<typeof JSON.parse>) => void) => {
  const data = JSON.parse(json);
  change(data);
  return JSON.stringify(data);
};
for (const [name, json, message] of [
  ["no JSON", "{", /not JSON/],
  ["no tokenizer", "[]", /JSON object with an object "model"/],
  ["SentencePiece", '{"type": "SentencePiece", "pieces": []}', /SentencePiece .* cannot be run in a browser/],
  ["too much", `[${"[],".repeat(2 ** 18)}0]`, /at most 262144 lists/],
  ["padding", changed(DIGITS, (data) => (data.padding = {})), /field "padding" is {}; .* it is null/],
  [
    "another model",
    changed(DIGITS, (data) => (data.model.type = "Unigram")),
    /"model.type" is "Unigram"; .* "WordLevel" or "BPE"/,
  ],
  ["another field", changed(DIGITS, (data) => (data.model.more = 1)), /"model.more" is 1/],
  [
    "another pattern",
    changed(PIECES, (data) => (data.pre_tokenizer.pretokenizers[1].pattern.Regex = "(a+)+")),
    /"pre_tokenizer"/,
  ],
  ["no vocabulary", changed(DIGITS, (data) => (data.model.vocab = { a: "b" })), /'model.vocab' must give/],
  ["an id twice", changed(DIGITS, (data) => (data.model.vocab["1"] = 4)), /must be 0 to 13, each once/],
  ["a long piece", changed(DIGITS, (data) => (data.model.vocab["x".repeat(257)] = 14)), /1 to 256 characters/],
  ["half a character", changed(DIGITS, (data) => (data.model.vocab["\ud800"] = 14)), /no half characters/],
  [
    "other first ids",
    changed(DIGITS, (data) => Object.assign(data.model.vocab, { "<s>": 2, "</s>": 1 })),
    /first ids must be/,
  ],
  ["no merges", changed(PIECES, (data) => (data.model.merges = 1)), /must be a list of pairs/],
  [
    "a merge of nothing",
    changed(PIECES, (data) => data.model.merges.push(["一", "𠮷"])),
    /'model.merges' must be a pair/,
  ],
  ["merges of digits", changed(DIGITS, (data) => (data.model.merges = [])), /no merges/],
] as const) {
  test(`a tokenizer is refused: ${name}`, () => {
    assert.throws(() => new Tokenizer(json), { name: "SentenceError", message });
  });
}

test("texts and files that a model cannot read get a sentence", () => {
  const files = filesOf("copy");
  const { encodeSource } = { encodeSource: (text: string) => new Translator(files).encodeSource(text) };
  assert.throws(() => encodeSource(" "), /source text is empty/);
  assert.throws(() => encodeSource("1".repeat(17)), /has 17 tokens, and this model reads at most 16/);
  assert.throws(() => encodeSource("1".repeat(20_001)), /has 20001 characters/);
  assert.throws(() => encodeSource("😀\ud800"), /lone surrogate, at position 2/);
  const refused = (changes: object, message: RegExp) =>
    assert.throws(() => new Translator({ ...files, ...changes }), { name: "SentenceError", message });
  refused({ config: "{" }, /config is not JSON/);
  refused({ card: "[]" }, /card should be one JSON object/);
  refused({ sourceTokenizer: PIECES }, /source tokenizer has 6000 entries, but the config says 14/);
  refused({ config: changed(files.config, (data) => (data.end_id = 5)) }, /end_id is 5, but that is "1" in the source/);
});
