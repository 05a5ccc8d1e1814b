import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { COMPILED, compiledKernel } from "../../kernel.ts";
import { newWeights, PlainWeights, SimdWeights, type Weights } from "../../src/model/product.ts";

// A few numbers that float32 holds, the same in every run.
const some = (count: number, step: number) =>
  Float32Array.from({ length: count }, (_, n) => ((n * step) % 23) / 8 - 1.25);

function product(weights: Weights, n: number, k: number, m: number): number[] {
  weights.allocate(4).fill(9); // what stands before it is not read
  const w = weights.allocate(m * k);
  w.set(some(m * k, 7));
  return [...weights.product(some(n * k, 5), w, n, k, m)];
}

test("the compiled kernel is that of the source", async () => {
  assert.equal(readFileSync(COMPILED, "utf8"), await compiledKernel());
});

test("x · wᵀ by hand", () => {
  for (const weights of [new PlainWeights(), new SimdWeights(100, 10)]) {
    const w = weights.allocate(6);
    w.set([1, 2, 3, 10, 20, 30]);
    assert.deepEqual([...weights.product(Float32Array.of(1, 0, 1, 0, 0.5, 2), w, 2, 3, 2)], [4, 40, 7, 70]);
  }
});

test("SIMD and plain TypeScript give the same for every width and height", () => {
  for (const k of [1, 2, 3, 4, 5, 8, 15, 16, 20])
    for (const m of [1, 3, 4, 5, 7, 8, 9])
      for (const n of [1, 2, 5]) {
        // These numbers and their sums are exact in float32, in any order.
        assert.deepEqual(product(new SimdWeights(1000, k + m), n, k, m), product(new PlainWeights(), n, k, m));
      }
});

test("more rows than the scratch holds are multiplied in turns", () => {
  const [n, k, m] = [30_000, 4, 6];
  assert.deepEqual(product(new SimdWeights(100, 10), n, k, m), product(new PlainWeights(), n, k, m));
});

test("too little memory gets a sentence, and no SIMD plain TypeScript", (t) => {
  assert.throws(() => newWeights(2 ** 40, 10), {
    name: "SentenceError",
    message: /not enough memory .* 1099511627776/,
  });
  assert.ok(newWeights(10, 10) instanceof SimdWeights);
  t.mock.method(WebAssembly, "Module", () => {
    throw new WebAssembly.CompileError("no SIMD");
  });
  assert.ok(newWeights(10, 10) instanceof PlainWeights);
});
