// Bundles the front end into viz_transformer/ui/static/, or into the folder named as an argument.
//
// A module with a default export is the entry point of the component of its name. One file for each, without shared
// chunks: Streamlit serves each component below an address of its own, so a browser would ask for a chunk once for
// every component all the same.

import { createHash } from "node:crypto";
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

const FRONT_END = import.meta.dirname;
const STATIC = resolve(process.argv[2] ?? join(FRONT_END, "../viz_transformer/ui/static"));

const modules = globSync("src/*/*.ts", { cwd: FRONT_END });
const entryPoints = [
  ...modules.filter((path) => /^export default /m.test(readFileSync(join(FRONT_END, path), "utf8"))),
  ...globSync("src/*/*.css", { cwd: FRONT_END }),
].sort();

const { outputFiles } = await build({
  absWorkingDir: FRONT_END,
  entryPoints,
  entryNames: "[name]",
  outdir: STATIC,
  bundle: true,
  format: "esm",
  target: "es2024",
  minify: true,
  loader: { ".html": "text" },
  charset: "utf8",
  legalComments: "none",
  write: false,
});

function hashOf(contents: Uint8Array): string {
  return createHash("sha256").update(contents).digest("hex").slice(0, 10);
}

// A name for each content: a browser keeps a file for ever, and an old server never serves a new one.
const files = new Map<string, Uint8Array>();
for (const { path, contents } of outputFiles) {
  files.set(basename(path).replace(/(?=\.\w+$)/, `-${hashOf(contents)}`), contents);
}

// Where a view stands alone: the page of a file, which is filled in by Python and by the browser.
const page = readFileSync(join(FRONT_END, "src/kit/page.html"));
files.set(`page-${hashOf(page)}.html`, page);

mkdirSync(STATIC, { recursive: true });
const built = readdirSync(STATIC).filter((name) => /-[0-9a-f]{10}\.(js|css|html)$/.test(name));
for (const name of built) if (!files.has(name)) rmSync(join(STATIC, name));
for (const [name, contents] of files) writeFileSync(join(STATIC, name), contents);
