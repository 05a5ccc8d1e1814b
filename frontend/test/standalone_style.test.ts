// Views outside of Streamlit have every one of its variables that the style sheets name.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ALONE } from "../src/kit/standalone_style.ts";

const SRC = join(import.meta.dirname, "../src");

test("every variable of the theme that is used has a value, and every colour one in the dark", () => {
  const used = globSync("**/*.{ts,css}", { cwd: SRC }).flatMap((path) =>
    [...readFileSync(join(SRC, path), "utf8").matchAll(/var\((--st-[a-z-]+)/g)].map(([, name]) => name),
  );
  const [light, dark] = ALONE.split(".alone.dark");
  for (const name of new Set(used)) {
    assert.ok(light.includes(`${name}: `), name);
    if (name.endsWith("-color")) assert.ok(dark.includes(`${name}: `), `${name} in the dark`);
  }
  assert.ok(new Set(used).size > 15);
});
