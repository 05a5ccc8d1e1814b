// A view as one HTML file that needs no network: its program and its numbers; notebook/html_file.py makes the same.

import type { Labels } from "./dom.ts";
import { saveBlob } from "./export.ts";
import type { Request } from "./message.ts";
import type { Saved } from "./save.ts";

// `content`: what is shown now, packed as it came from Python.
export async function saveHtml(
  { name, title }: Saved,
  request: Request<object>,
  labels: Labels,
  content: Uint8Array,
): Promise<void> {
  const about = request.about ?? { version: "" };
  const [code, zipped] = await Promise.all([ownCode(), gzip(content)]);
  const facts = (["model", "source", "target"] as const).flatMap((fact) =>
    about[fact] ? [[labels[fact], about[fact]]] : [],
  );
  const said = [...facts, [labels.made_by, `viz_transformer ${about.version}`]]
    .map(([fact, text]) => `<div><dt>${escaped(fact)}</dt><dd>${escaped(text)}</dd></div>`)
    .join("");
  const filled: Readonly<Record<string, string>> = {
    language: request.language,
    theme: "",
    version: escaped(about.version),
    title: escaped([title, about.source].filter(Boolean).join(": ")),
    about: `<dl>${said}</dl><p><a id="reopen" href="${escaped(location.href)}">${escaped(labels.reopen)}</a></p>`,
    fallback: `<p>${escaped(labels.needs_script)}</p>`,
    request: json({ ...request, labels, link: undefined, view: request.view }),
    terms: "{}",
    content: zipped,
    code: inline(code),
  };
  // Imported late: only the built bundle has the page in it, and tests import this module unbuilt.
  const { default: page } = await import("./page.html");
  const text = page.replace(/\{(\w+)\}/g, (place: string, key: string) => filled[key] ?? place);
  saveBlob(new Blob([text], { type: "text/html;charset=utf-8" }), `${name}.html`);
}

async function ownCode(): Promise<string> {
  return (await fetch(import.meta.url)).text();
}

// A page cannot import its own inline script, so the script's default export becomes a constant, `view`.
export function inline(code: string): string {
  const named = code.replace(/export\{([\w$]+) as default\};\s*$/, "const view=$1;");
  return named.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

async function gzip(bytes: Uint8Array): Promise<string> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new CompressionStream("gzip"));
  const zipped = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let n = 0; n < zipped.length; n += 0x8000) text += String.fromCharCode(...zipped.subarray(n, n + 0x8000));
  return btoa(text);
}

export function json(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

export function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (sign) => signs[sign]);
}
