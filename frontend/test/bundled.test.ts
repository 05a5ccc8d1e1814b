// Whose code is in the bundle, and whether its licence goes along: docs/licences.md says so.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const FRONT_END = join(import.meta.dirname, "..");
const PASSED_ON = ["d3-array"];

test("no package gets into the bundle but those whose licence the wheel carries", async () => {
  const { metafile } = await build({
    absWorkingDir: FRONT_END,
    entryPoints: ["src/panels.ts", "src/panels.css", "src/first.ts"],
    outdir: "nowhere",
    bundle: true,
    format: "esm",
    loader: { ".html": "text" },
    minify: true,
    metafile: true,
    write: false,
  });
  const held = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const files = held.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  const packages = files.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean);
  assert.deepEqual([...new Set(packages)].sort(), PASSED_ON);
});

test("their licences are the very texts of the packages", () => {
  const project = readFileSync(join(FRONT_END, "../pyproject.toml"), "utf8");
  for (const name of PASSED_ON) {
    const carried = readFileSync(join(FRONT_END, `LICENSE-${name}`), "utf8");
    assert.equal(carried, readFileSync(join(FRONT_END, "node_modules", name, "LICENSE"), "utf8"));
    assert.match(project, new RegExp(`license-files = .*"frontend/LICENSE-${name}"`));
  }
});
