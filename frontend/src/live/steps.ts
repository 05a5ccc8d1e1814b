// The heads of one layer as series of stages: views/sheets.py and head_sheet.py, whose texts come as labels.

import type { Labels } from "../kit/dom.ts";
import { fillText } from "../kit/dom.ts";
import type { Content, Offer, StageText } from "../matrix/sheet.ts";
import { type AttentionModule, stackOf } from "../model/heads.ts";
import type { Floats, Mask } from "../model/tensor.ts";
import { bools } from "./pack.ts";
import { type AttentionRecord, headOf, type Trace } from "./trace.ts";

const STAGES = ["x", "qkv", "scores", "scale", "mask", "softmax", "context", "output"] as const;
type StageName = (typeof STAGES)[number];

type Part = readonly [text: string, lit: string];
const FORMULA: readonly Part[] = [
  ["head = ", ""],
  ["softmax", "softmax"],
  ["( ", "softmax"],
  ["Q", "q"],
  [" ", ""],
  ["Kᵀ", "k"],
  [" / √d_k", "scale"],
  [" + mask", "mask"],
  [" )", "softmax"],
  [" ", ""],
  ["V", "v"],
];
const BEFORE: Part = ["Q = X W_Q + b,  K = X W_K + b,  V = X W_V + b", "x"];
const BEFORE_CROSS: Part = ["Q = X W_Q + b,  K = M W_K + b,  V = M W_V + b", "x"];
const THEN: Part = ["   →   ", ""];
const AFTER: Part = ["[head_1 … head_H] W_O + b", "output"];

interface Plan {
  readonly shows: readonly string[]; // names of matrices
  readonly lit: readonly string[]; // parts of the formula
  readonly terms: readonly string[];
}
const PLANS: Readonly<Record<StageName, Plan>> = {
  x: { shows: ["x", "memory"], lit: ["x"], terms: ["embedding", "residual-stream"] },
  qkv: { shows: ["q", "k", "v"], lit: ["x", "q", "k", "v"], terms: ["query", "key", "value"] },
  scores: { shows: ["q", "k_transposed", "scores"], lit: ["q", "k"], terms: ["score", "dot-product"] },
  scale: { shows: ["scores", "scaled_scores"], lit: ["scale"], terms: ["scaling"] },
  mask: { shows: ["scaled_scores", "masked_scores"], lit: ["mask"], terms: ["mask"] },
  softmax: { shows: ["masked_scores", "weights"], lit: ["softmax"], terms: ["softmax"] },
  context: { shows: ["weights", "v", "context"], lit: ["v"], terms: ["context-vector"] },
  output: { shows: ["concatenated", "output"], lit: ["output"], terms: ["multi-head-attention", "head"] },
};
// The terms that matrices show.
const SHOWN: Readonly<Record<string, string>> = {
  x: "embedding residual-stream decoder",
  memory: "encoder",
  q: "query",
  k: "key",
  k_transposed: "key",
  v: "value",
  scores: "score dot-product",
  scaled_scores: "score scaling",
  masked_scores: "score mask",
  weights: "weight attention",
  context: "context-vector head",
  concatenated: "head",
  output: "multi-head-attention",
};

// `labels`: those of sheet_labels() and of the trace's view.
export function sheetsContent(trace: Trace, module: AttentionModule, layer: number, labels: Labels): Content {
  const record = trace.attention(module, layer);
  const { n_heads } = stackOf(trace.config, module);
  const choice: Offer = {
    name: "head",
    label: labels.head,
    options: Array.from({ length: n_heads }, (_, head) => String(head + 1)),
    hint: labels.head_keys,
    hasDigits: true,
    turnsSheets: true,
    stages: [],
    isRange: false,
    until: null,
  };
  const sheets = choice.options.map((_, head) => sheetOf(trace, module, record, head, labels));
  return { sheets, choices: [choice], results: null };
}

function sheetOf(
  trace: Trace,
  module: AttentionModule,
  record: AttentionRecord,
  head: number,
  labels: Labels,
): Content["sheets"][number] {
  const matrices = matricesOf(trace, module, record, head, labels);
  const index = (name: string) => matrices.findIndex((one) => one.name === name);
  const numbers = numbersOf(trace, module, record, head);
  const isCross = module === "cross";
  const fill = (name: string) => fillText(labels[name], numbers);
  const stages = STAGES.map((name): StageText => {
    const { shows, lit, terms } = PLANS[name];
    const form = name === "x" && isCross ? "_cross" : "";
    const isAllowing = name === "mask" && !numbers.count;
    return {
      name,
      title: labels[`stage_${name}`],
      matrices: shows.map(index).filter((place) => place >= 0),
      text: fill(`text_${name}${form}${isAllowing ? "_allows" : ""}`),
      shapes: fill(`shapes_${name}${form}`),
      code: labels[`code_${name}`],
      lit,
      isIdle: isIdle(name, record, head),
      isProduct: name === "scores" || name === "context",
      operators: labels[`operator_${name}`] ? [fill(`operator_${name}`)] : [],
      slugs: terms.join(" "),
    };
  });
  const term = (label: string, matrix: string, stage: StageName, kind: "number" | "exp" | "sum" = "number") => ({
    label: labels[label],
    matrix: index(matrix),
    kind,
    stage: STAGES.indexOf(stage),
  });
  return {
    matrices,
    stages,
    formula: [isCross ? BEFORE_CROSS : BEFORE, THEN, ...FORMULA, THEN, AFTER],
    terms: [
      term("term_score", "scores", "scores"),
      term("stage_scale", "scaled_scores", "scale"),
      term("term_mask", "masked_scores", "mask"),
      term("term_exp", "masked_scores", "softmax", "exp"),
      term("term_sum", "masked_scores", "softmax", "sum"),
      term("term_weight", "weights", "softmax"),
    ],
  };
}

// Whether a stage changes nothing: without scaling, or where the mask allows every key.
function isIdle(name: StageName, { scores, scaled, masked }: AttentionRecord, head: number): boolean {
  if (name !== "scale" && name !== "mask") return false;
  const [before, after] = name === "scale" ? [scores, scaled] : [scaled, masked];
  const [one, other] = [headOf(before, head).values, headOf(after, head).values];
  return one.every((value, n) => value === other[n] || Math.abs(value - other[n]) <= 1e-5 * Math.abs(value));
}

// What fills the braces of the labels.
function numbersOf(trace: Trace, module: AttentionModule, { q, k, mask, queryInput }: AttentionRecord, head: number) {
  const [, t, d] = q.shape;
  return {
    t,
    s: k.shape[1],
    d,
    width: d,
    wide: queryInput.shape[1],
    root: Math.sqrt(d).toFixed(4),
    count: mask.values.reduce((count, bit) => count + 1 - bit, 0),
    all: mask.values.length,
    n: stackOf(trace.config, module).n_heads,
    first: head * d + 1,
    last: (head + 1) * d,
  };
}

function matricesOf(trace: Trace, module: AttentionModule, record: AttentionRecord, head: number, labels: Labels) {
  const isCross = module === "cross";
  const [q, k, v, context] = [record.q, record.k, record.v, record.context].map((one) => headOf(one, head));
  const [scores, weights] = [headOf(record.scores, head), headOf(record.weights, head)];
  const predicted = trace.predictedIn(module);
  const features = { rowEnds: [], rowEndsAxis: "" } as const;
  const queries = {
    rowAxis: labels[`query_${module}`],
    rowLabels: record.queryTokens,
    rowEnds: predicted,
    rowEndsAxis: predicted.length ? labels.writes : "",
  };
  const keys = { ...features, rowAxis: labels[`key_${module}`], rowLabels: record.keyTokens };
  const byKey = { columnAxis: labels[`key_${module}`], columnLabels: record.keyTokens };
  const narrow = { columnAxis: labels.head_dimension, columnLabels: null };
  const wide = { columnAxis: labels.model_dimension, columnLabels: null };
  // Matrices that are compared have one scale: projections and their averages; scores before and after the division.
  const projected = largestOf(q, k, v, record.concatenated);
  const scored = largestOf(scores);
  const entering = largestOf(record.queryInput, record.keyInput);

  const matrix = (name: string, values: Floats, mask: Mask | null = null) => ({
    name,
    title: labels[name],
    note: values.shape.join(" × "),
    values,
    mask: bools(mask ?? allOf(values)),
    hasMaskedNumbers: false,
    firstIndex: 1,
    slugs: SHOWN[name],
  });
  const vectors = (name: string, values: Floats, hue: string, extent = projected) => ({
    ...matrix(name, values),
    kind: "diverging" as const,
    scaleName: labels.value,
    extent,
    hue,
    isPinnable: false,
  });
  const scoresOf = (name: string, values: Floats, mask: Mask | null = null) => ({
    ...matrix(name, values, mask),
    ...queries,
    ...byKey,
    kind: "diverging" as const,
    scaleName: labels.score,
    extent: scored,
    hue: "score",
    isPinnable: true,
  });
  const x = { ...vectors("x", record.queryInput, "query", entering), ...queries, ...wide };
  return [
    scoresOf("scores", scores),
    scoresOf("scaled_scores", headOf(record.scaled, head)),
    scoresOf("masked_scores", headOf(record.masked, head), record.mask),
    {
      ...scoresOf("weights", weights, record.mask),
      kind: "sequential" as const,
      scaleName: labels.weight,
      extent: largestOf(weights),
    },
    { ...vectors("q", q, "query"), ...queries, ...narrow },
    { ...vectors("k", k, "key"), ...keys, ...narrow },
    {
      ...vectors("k_transposed", transposed(k), "key"),
      ...features,
      rowAxis: labels.head_dimension,
      rowLabels: null,
      ...byKey,
    },
    { ...vectors("v", v, "value"), ...keys, ...narrow },
    { ...vectors("context", context, "value"), ...queries, ...narrow },
    isCross ? { ...x, title: labels.x_cross } : x,
    ...(isCross ? [{ ...vectors("memory", record.keyInput, "key", entering), ...keys, ...wide }] : []),
    { ...vectors("concatenated", record.concatenated, "value"), ...queries, ...wide },
    { ...vectors("output", record.output, "plain", 0), ...queries, ...wide },
  ];
}

// The largest absolute value among the finite numbers, to which a scale that they share must reach.
function largestOf(...arrays: readonly Floats[]): number {
  let largest = 0;
  for (const { values } of arrays)
    for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  return largest;
}

function transposed({ shape: [rows, columns], values }: Floats): Floats {
  const turned = new Float32Array(values.length);
  for (let n = 0; n < values.length; n++) turned[(n % columns) * rows + Math.floor(n / columns)] = values[n];
  return { shape: [columns, rows], values: turned };
}

function allOf({ shape, values }: Floats): Mask {
  return { shape, values: new Uint8Array(values.length).fill(1) };
}
