import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

test("the worker is one small file", async (t) => {
  const { outputFiles } = await build({
    absWorkingDir: join(import.meta.dirname, "../.."),
    entryPoints: ["src/model/worker.ts"],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2024",
    charset: "utf8",
    write: false,
  });
  const size = outputFiles[0].contents.length;
  t.diagnostic(`${size} bytes`);
  assert.ok(size < 60_000, `${size} bytes`);
});
