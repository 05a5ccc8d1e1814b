// Who may import whom: kit ← model, matrix, plots, trace, maps and the like ← pages ← panels.ts, which lists all of them. No
// page's folder imports another's. `live` makes what pages are sent, so it knows their types, and nothing imports it.

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { test } from "node:test";

const SRC = join(import.meta.dirname, "../src");
const PAGES = ["lecture", "overview", "heads", "decoding", "training", "architecture", "why_attention", "exercises"];
// Each may import those before it.
const SHARED = ["kit", "model", "matrix", "plots", "trace", "maps", "tables", "sliders", "terms", "share", "room"];
const MAKES = "live";

const LISTS = ["panels.ts", "panels.css", "first.ts"];

const files = globSync("**/*.{ts,css}", { cwd: SRC });
const roomOf = (path: string) => path.split("/")[0] as string;
const importsOf = (path: string) =>
  [...readFileSync(join(SRC, path), "utf8").matchAll(/(?:\bimport |\bfrom |@import url\()"([^"\s]*)"/g)].map(
    ([, target]) => target as string,
  );
// [importing file, imported file]
const arrows = files.flatMap((path) =>
  importsOf(path)
    .filter((target) => target.startsWith("."))
    .map((target): [string, string] => [path, normalize(join(path, "..", target))]),
);

// Whether a file imports only types from another.
function importsTypesAlone(path: string, target: string): boolean {
  const name = target.split("/").slice(-2).join("/");
  const lines = readFileSync(join(SRC, path), "utf8")
    .split("\n")
    .filter((line) => line.endsWith(`/${name}";`));
  return lines.length > 0 && lines.every((line) => line.startsWith("import type "));
}

test("every file is in a room", () => {
  assert.ok(files.length > 70);
  const rooms = new Set(files.filter((path) => !LISTS.includes(path)).map(roomOf));
  assert.deepEqual([...rooms].sort(), [...PAGES, ...SHARED, MAKES].sort());
});

test("every import leads to a file of the front end, by its whole name, or to a package", () => {
  for (const [path, target] of arrows) assert.ok(existsSync(join(SRC, target)), `${path} imports ${target}`);
  const packages = new Set(files.flatMap(importsOf).filter((target) => !target.startsWith(".")));
  const { dependencies } = JSON.parse(readFileSync(join(SRC, "../package.json"), "utf8"));
  assert.deepEqual(
    [...packages].filter((name) => !(name in dependencies)),
    [],
  );
});

test("rooms import only what lies below them", () => {
  assert.ok(arrows.length > 150);
  const wrong = arrows.filter(([path, target]) => {
    const [from, to] = [roomOf(path), roomOf(target)];
    if (from === to || LISTS.includes(path)) return false;
    if (from === MAKES) return PAGES.includes(to) && !importsTypesAlone(path, target);
    if (to === MAKES) return true;
    return PAGES.includes(from)
      ? !SHARED.includes(to)
      : SHARED.indexOf(to) >= SHARED.indexOf(from) || PAGES.includes(to);
  });
  assert.deepEqual(wrong, []);
});

test("no module imports itself, however long the way", () => {
  const seen = new Set<string>();
  const visit = (path: string, way: string[]) => {
    assert.ok(!way.includes(path), [...way, path].join(" → "));
    if (seen.has(path)) return;
    seen.add(path);
    for (const [from, to] of arrows) if (from === path) visit(to, [...way, path]);
  };
  for (const path of files) visit(path, []);
});
