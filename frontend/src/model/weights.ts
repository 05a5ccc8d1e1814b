// The weights of a model, from the bytes of a safetensors file into the memory in which they are multiplied.
//
// Numbers are F32, F16, BF16 or F64, or eight-bit integers. Those are this project's own form: a matrix `name` is I8
// [rows, columns], and beside it stands `name.scale`, F32 [rows]. Each number of a row is its integer times the scale of
// its row. Biases and norms are never eight-bit.

import type { TransformerConfig } from "./config.ts";
import { newWeights, PlainWeights, type Weights } from "./product.ts";
import { readSafetensors, type StoredArray } from "./safetensors.ts";
import { brief, SentenceError } from "./sentences.ts";
import { type Floats, sizeOf } from "./tensor.ts";

const SCALE = ".scale";

const MAX_PARAMETERS = 2 ** 27; // 512 MiB, about what a browser's tab on a laptop can spare

export interface Parameters {
  readonly byName: ReadonlyMap<string, Floats>;
  readonly weights: Weights;
}

// Throws: a SentenceError where these are not the weights of a model of this config, or too many for a browser.
export function readParameters(
  file: Uint8Array<ArrayBuffer>,
  config: TransformerConfig,
  { isPlain = false, progress = () => {} }: { isPlain?: boolean; progress?: (done: number) => void } = {},
): Parameters {
  const shapes = parameterShapes(config);
  const count = [...shapes.values()].map(sizeOf).reduce((total, size) => total + size, 0);
  if (count > MAX_PARAMETERS) {
    throw new SentenceError("This model has {count} parameters; a browser computes models of up to {limit}.", {
      count,
      limit: MAX_PARAMETERS,
    });
  }
  const arrays = readSafetensors(file);
  checkShapes(arrays, shapes);

  const weights = isPlain ? new PlainWeights() : newWeights(count, widestProduct(config));
  const byName = new Map<string, Floats>();
  let read = 0;
  for (const [name, shape] of shapes) {
    const values = weights.allocate(sizeOf(shape));
    const array = arrays.get(name) as StoredArray;
    if (array.dtype === "I8") fillFromIntegers(values, array, arrays.get(name + SCALE) as StoredArray);
    else fill(values, array);
    if (!values.every(Number.isFinite)) {
      throw new SentenceError("In the weights, {name} holds values that are not finite numbers.", { name });
    }
    byName.set(name, { shape, values });
    progress((read += values.length) / count);
  }
  return { byName, weights };
}

// The numbers of one row of x and one of y together, in the widest x · Wᵀ = y of the model.
function widestProduct(config: TransformerConfig): number {
  const { d_model, d_ff, decoder, target_vocab_size } = config;
  return d_model + Math.max(d_model, d_ff, decoder.d_ff, target_vocab_size);
}

// The names and shapes of all that was trained. A shared matrix stands under the name that it has first.
export function parameterShapes(config: TransformerConfig): Map<string, number[]> {
  const { d_model } = config;
  const shapes = new Map<string, number[]>();
  const add = (name: string, ...shape: number[]) => void shapes.set(name, shape);
  const addNorm = (name: string) => {
    add(`${name}.weight`, d_model);
    add(`${name}.bias`, d_model);
  };
  const addLinear = (name: string, from: number, to: number) => {
    add(`${name}.weight`, to, from);
    add(`${name}.bias`, to);
  };
  const addEmbedding = (name: string, vocabSize: number, isShared: boolean) => {
    if (!isShared) add(`${name}.tokens.weight`, vocabSize, d_model);
    if (config.positions === "learned") add(`${name}.positions.table`, config.max_len, d_model);
    if (config.embedding_norm) addNorm(`${name}.norm`);
  };
  const addLayer = (name: string, d_ff: number, modules: readonly string[]) => {
    const attentions = config.hasAttention ? modules : [];
    for (const attention of attentions) {
      for (const projection of ["w_q", "w_k", "w_v", "w_o"])
        addLinear(`${name}.${attention}.${projection}`, d_model, d_model);
      addNorm(`${name}.add_${attention}.norm`);
    }
    if (config.hasFeedForward) {
      addLinear(`${name}.feed_forward.w_1`, d_model, d_ff);
      addLinear(`${name}.feed_forward.w_2`, d_ff, d_model);
      addNorm(`${name}.add_feed_forward.norm`);
    }
  };

  addEmbedding("source_embedding", config.source_vocab_size, false);
  addEmbedding("target_embedding", config.target_vocab_size, config.weight_tying === "all");
  for (let n = 0; n < config.n_encoder_layers; n++) addLayer(`encoder_layers.${n}`, config.d_ff, ["self_attention"]);
  for (let n = 0; n < config.n_decoder_layers; n++)
    addLayer(`decoder_layers.${n}`, config.decoder.d_ff, ["self_attention", "cross_attention"]);
  if (config.hasFinalNorms) {
    addNorm("encoder_norm");
    addNorm("decoder_norm");
  }
  if (config.weight_tying === "none") add("output_projection.weight", config.target_vocab_size, d_model);
  if (config.output_bias) add("output_projection.bias", config.target_vocab_size);
  return shapes;
}

function checkShapes(arrays: ReadonlyMap<string, StoredArray>, shapes: ReadonlyMap<string, number[]>): void {
  const expected = new Map(shapes);
  for (const [name, { dtype, shape }] of arrays) if (dtype === "I8") expected.set(name + SCALE, [shape[0]]);
  for (const name of [...new Set([...expected.keys(), ...arrays.keys()])].sort()) {
    const [wanted, found] = [expected.get(name), arrays.get(name)?.shape];
    if (String(wanted) !== String(found)) {
      throw new SentenceError("The weights do not fit the config: {name} should be {expected} but is {found}.", {
        name: brief(name),
        expected: wanted ? brief(wanted) : "absent",
        found: found ? brief(found) : "absent",
      });
    }
  }
  for (const [name, { dtype, shape }] of arrays) {
    const mayBe = dtype !== "I8" || (shape.length === 2 && arrays.get(name + SCALE)?.dtype === "F32");
    if (!mayBe) {
      throw new SentenceError("The weights hold {name} as I8; that needs a matrix with a scale for each row.", {
        name: brief(name),
      });
    }
  }
}

function fill(values: Float32Array, { dtype, bytes }: StoredArray): void {
  const { buffer } = bytes.byteOffset % 8 ? bytes.slice() : bytes;
  const offset = bytes.byteOffset % 8 ? 0 : bytes.byteOffset;
  if (dtype === "F32") values.set(new Float32Array(buffer, offset, values.length));
  else if (dtype === "F64") values.set(new Float64Array(buffer, offset, values.length));
  else {
    const table = dtype === "F16" ? (halves ??= allHalves()) : (shorts ??= allShorts());
    const codes = new Uint16Array(buffer, offset, values.length);
    for (let i = 0; i < codes.length; i++) values[i] = table[codes[i]];
  }
}

function fillFromIntegers(values: Float32Array, { bytes, shape }: StoredArray, scale: StoredArray): void {
  const scales = new Float32Array(shape[0]);
  fill(scales, scale);
  const integers = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const width = shape[1];
  for (let i = 0; i < values.length; i++) values[i] = integers[i] * scales[Math.floor(i / width)];
}

// Every number of sixteen bits, by its code: looking one up is faster than working it out.
let halves: Float32Array | null = null;
let shorts: Float32Array | null = null;

// IEEE 754 half precision: a sign, five bits of exponent, ten of mantissa.
function allHalves(): Float32Array {
  return Float32Array.from({ length: 2 ** 16 }, (_, code) => {
    const sign = code >> 15 ? -1 : 1;
    const exponent = (code >> 10) & 31;
    const mantissa = (code & 1023) / 1024;
    if (exponent === 31) return mantissa ? NaN : sign * Infinity;
    return exponent ? sign * 2 ** (exponent - 15) * (1 + mantissa) : sign * 2 ** -14 * mantissa;
  });
}

// bfloat16: the upper half of a float32.
function allShorts(): Float32Array {
  return new Float32Array(Uint32Array.from({ length: 2 ** 16 }, (_, code) => code << 16).buffer);
}
