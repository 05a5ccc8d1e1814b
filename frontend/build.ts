// Bundles the front end into viz_transformer/ui/static/, or into the folder named as an argument.
//
// The front end is one module with all panels and their style, which a browser asks for once; a script that stands in
// the page itself; and the program of files one can type into, which no page of the app asks for.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

const FRONT_END = import.meta.dirname;
const STATIC = resolve(process.argv[2] ?? join(FRONT_END, "../viz_transformer/ui/static"));

const OPTIONS = {
  absWorkingDir: FRONT_END,
  outdir: STATIC,
  bundle: true,
  target: "es2024",
  minify: true,
  loader: { ".html": "text" },
  charset: "utf8",
  legalComments: "none",
  write: false,
} as const;
const [style] = (await build({ ...OPTIONS, entryPoints: ["src/panels.css"] })).outputFiles;
const built = await Promise.all([
  build({ ...OPTIONS, format: "esm", entryPoints: ["src/panels.ts"], define: { STYLE: JSON.stringify(style.text) } }),
  build({ ...OPTIONS, format: "iife", entryPoints: ["src/first.ts"] }),
  build({ ...OPTIONS, format: "iife", globalName: "live", entryPoints: ["src/live/live.ts"] }),
]);

function hashOf(contents: Uint8Array): string {
  return createHash("sha256").update(contents).digest("hex").slice(0, 10);
}

// Names contain a hash of the content: a browser may keep a file for ever, and an old server never serves a new one.
const files = new Map<string, Uint8Array>();
for (const { path, contents } of built.flatMap(({ outputFiles }) => outputFiles)) {
  files.set(basename(path).replace(/(?=\.\w+$)/, `-${hashOf(contents)}`), contents);
}

// The page of a file in which a view stands alone, and that of a file one can type into; Python or the browser fills them.
for (const path of ["kit/page.html", "live/live.html"]) {
  const page = readFileSync(join(FRONT_END, "src", path));
  files.set(basename(path).replace(/(?=\.html$)/, `-${hashOf(page)}`), page);
}

mkdirSync(STATIC, { recursive: true });
const there = readdirSync(STATIC).filter((name) => /-[0-9a-f]{10}\.(js|html)$/.test(name));
for (const name of there) if (!files.has(name)) rmSync(join(STATIC, name));
for (const [name, contents] of files) writeFileSync(join(STATIC, name), contents);
