// Compiles src/model/product.wat into src/model/product_bytes.ts, from which both Node and the bundle take it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import wabt from "wabt";

const MODEL = join(import.meta.dirname, "src/model");

export const COMPILED = join(MODEL, "product_bytes.ts");

export async function compiledKernel(): Promise<string> {
  const source = readFileSync(join(MODEL, "product.wat"), "utf8");
  const module = (await wabt()).parseWat("product.wat", source, { simd: true });
  module.validate();
  const { buffer } = module.toBinary({});
  const lines =
    Buffer.from(buffer)
      .toString("base64")
      .match(/.{1,112}/g) ?? [];
  return `// Written by kernel.ts from product.wat.

export const PRODUCT_BYTES =
${lines.map((line) => `  "${line}"`).join(" +\n")};
`;
}

if (import.meta.main) writeFileSync(COMPILED, await compiledKernel());
