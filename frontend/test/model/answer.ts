// Answers what tests/live asks: node answer.ts <folder> reads asked.json there, and writes answers.json and arrays.bin.
//
// An array stands in arrays.bin as float32; in the JSON stands where: {"start": in numbers, "shape"}.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Dictionary, simplified } from "../../src/model/chinese.ts";
import { TransformerConfig } from "../../src/model/config.ts";
import type { Intervention } from "../../src/model/interventions.ts";
import { beamSearch, type SearchOptions } from "../../src/model/search.ts";
import { SentenceError } from "../../src/model/sentences.ts";
import { normalized, signsOf, textOf } from "../../src/model/signs.ts";
import type { Tensor } from "../../src/model/tensor.ts";
import { type Pass, Transformer } from "../../src/model/transformer.ts";
import { Translator } from "../../src/model/translator.ts";
import { readParameters } from "../../src/model/weights.ts";

type Side = "source" | "target";
type Question =
  | { kind: "encode"; side: Side; texts: string[] }
  | { kind: "decode"; side: Side; ids: number[][] }
  | { kind: "search"; source: number[]; options: Partial<SearchOptions> }
  | { kind: "pass"; source: number[]; target: number[]; interventions: Intervention[]; points: string[] | null }
  | { kind: "normalize"; texts: string[] }
  | { kind: "simplify"; texts: string[]; dictionaries: Dictionary[] };

// A folder of a whole model, or one of config.json and model.safetensors alone.
interface Asked {
  folder: string | null;
  isWhole: boolean;
  isPlain: boolean;
  questions: Question[];
}

const folder = process.argv[2];
const arrays: Float32Array[] = [];
let length = 0;

function kept({ shape, values }: Tensor): { start: number; shape: readonly number[] } {
  const start = length;
  arrays.push(Float32Array.from(values));
  length += values.length;
  return { start, shape };
}

// What `answer` gives, or the sentence with which it refuses.
function orRefusal(answer: () => unknown): unknown {
  try {
    return answer();
  } catch (error) {
    if (error instanceof SentenceError) return { refused: error.message };
    throw error;
  }
}

function text(path: string): string {
  return readFileSync(path, "utf8");
}

function loaded({ folder, isWhole, isPlain }: Asked): { translator: Translator | null; model: Transformer | null } {
  if (folder === null) return { translator: null, model: null };
  const weights = new Uint8Array(readFileSync(join(folder, "model.safetensors")));
  const config = text(join(folder, "config.json"));
  if (!isWhole) {
    const known = new TransformerConfig(JSON.parse(config));
    return { translator: null, model: new Transformer(known, readParameters(weights, known, { isPlain })) };
  }
  const files = {
    config,
    card: text(join(folder, "card.json")),
    sourceTokenizer: text(join(folder, "source_tokenizer.json")),
    targetTokenizer: text(join(folder, "target_tokenizer.json")),
    weights,
  };
  const translator = new Translator(files, { isPlain });
  return { translator, model: translator.model };
}

function passed({ points, logProbs }: Pass, names: string[] | null) {
  const wanted = [...points].filter(([name]) => !names || names.some((end) => name.endsWith(end)));
  return {
    points: Object.fromEntries(wanted.map(([name, tensor]) => [name, kept(tensor)])),
    ...(names ? {} : { log_probs: kept(logProbs) }),
  };
}

function answerTo(question: Question, translator: Translator | null, model: Transformer | null): unknown {
  switch (question.kind) {
    case "encode": {
      const of = translator as Translator;
      const encode = (one: string) => (question.side === "source" ? of.encodeSource(one) : of.encodeTarget(one));
      return question.texts.map((one) => orRefusal(() => encode(one)));
    }
    case "decode": {
      const { sourceTokenizer, targetTokenizer } = translator as Translator;
      const tokenizer = question.side === "source" ? sourceTokenizer : targetTokenizer;
      return question.ids.map((ids) => ({ text: tokenizer.decode(ids), labels: ids.map((id) => tokenizer.label(id)) }));
    }
    case "search": {
      const steps = [...beamSearch(model as Transformer, question.source, question.options)];
      return steps.map(({ logProbs: _all, ...step }) => step);
    }
    case "pass": {
      const { source, target, interventions, points } = question;
      return passed((model as Transformer).pass(source, target, interventions), points);
    }
    case "normalize":
      return question.texts.map((one) => textOf(normalized(signsOf(one))));
    case "simplify":
      return question.texts.map((one) => simplified(one, question.dictionaries));
  }
}

const asked: Asked[] = JSON.parse(text(join(folder, "asked.json")));
const answers = asked.map((one) =>
  orRefusal(() => {
    const { translator, model } = loaded(one);
    return one.questions.map((question) => orRefusal(() => answerTo(question, translator, model)));
  }),
);
writeFileSync(join(folder, "answers.json"), JSON.stringify(answers));
const all = new Float32Array(length);
let end = 0;
for (const array of arrays) {
  all.set(array, end);
  end += array.length;
}
writeFileSync(join(folder, "arrays.bin"), all);
