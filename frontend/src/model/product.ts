// Where weights lie, and the matrix product that reads them there: in SIMD WebAssembly, or in plain TypeScript where a
// browser has none. Both add in another order, so they agree to the precision of float32.

import { PRODUCT_BYTES } from "./product_bytes.ts";
import { SentenceError } from "./sentences.ts";

export interface Weights {
  // Room for so many numbers, in the order of the calls.
  allocate(count: number): Float32Array;

  // x [n, k] · wᵀ -> [n, m], where w [m, k] was allocated here
  product(x: Float32Array, w: Float32Array, n: number, k: number, m: number): Float32Array;
}

export class PlainWeights implements Weights {
  allocate(count: number): Float32Array {
    return new Float32Array(count);
  }

  product(x: Float32Array, w: Float32Array, n: number, k: number, m: number): Float32Array {
    const y = new Float32Array(n * m);
    for (let j = 0; j < m; j++) {
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let column = 0; column < k; column++) sum += x[i * k + column] * w[j * k + column];
        y[i * m + j] = sum;
      }
    }
    return y;
  }
}

type Product = (y: number, x: number, w: number, n: number, k: number, m: number) => void;

const PAGE = 2 ** 16; // bytes of a page of WebAssembly's memory
const SCRATCH = 2 ** 18; // numbers of x and y that lie in the memory at once, or those of one row where it is wider

export class SimdWeights implements Weights {
  readonly #memory: Float32Array;
  readonly #product: Product;
  readonly #scratch: number;
  #end: number; // of what is allocated; the scratch lies before it

  // Room for `count` numbers, all at once: if a memory grows, all arrays in it lose their place. A row of x and one of y
  // have `widest` numbers together, at most.
  //
  // Throws: a RangeError where there is not so much memory; another error where there is no SIMD.
  constructor(count: number, widest: number) {
    this.#end = this.#scratch = Math.max(SCRATCH, widest);
    const memory = new WebAssembly.Memory({ initial: Math.ceil(((this.#scratch + count) * 4) / PAGE) });
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(PRODUCT_BYTES)), { product: { memory } });
    this.#product = instance.exports.product as Product;
    this.#memory = new Float32Array(memory.buffer);
  }

  allocate(count: number): Float32Array {
    const start = this.#end;
    this.#end += count;
    if (this.#end > this.#memory.length) throw new Error(`There is no room for ${count} numbers more.`);
    return this.#memory.subarray(start, this.#end);
  }

  product(x: Float32Array, w: Float32Array, n: number, k: number, m: number): Float32Array {
    const y = new Float32Array(n * m);
    const atOnce = Math.floor(this.#scratch / (k + m)); // as many rows as the scratch holds
    for (let first = 0; first < n; first += atOnce) {
      const rows = Math.min(atOnce, n - first);
      this.#memory.set(x.subarray(first * k, (first + rows) * k));
      this.#product(rows * k * 4, 0, w.byteOffset, rows, k, m);
      y.set(this.#memory.subarray(rows * k, rows * (k + m)), first * m);
    }
    return y;
  }
}

// Room for `count` numbers where the browser computes with them fastest.
//
// Throws: a SentenceError where it has not so much memory.
export function newWeights(count: number, widest: number): Weights {
  try {
    return new SimdWeights(count, widest);
  } catch (error) {
    if (!(error instanceof RangeError)) return new PlainWeights(); // no SIMD, or a page that allows no WebAssembly
    throw new SentenceError("This browser has not enough memory for a model of {count} parameters.", { count });
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}
