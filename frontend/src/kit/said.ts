// What the app says, by the names of its texts: the page is sent it once (page_texts.py), for every component's bundle.

import type { Labels } from "./dom.ts";

const SAID = "viz-transformer-said";
const KNOWN = Symbol.for(SAID);
const known = (Reflect.get(globalThis, KNOWN) ?? new Map()) as Map<string, Labels>;
Reflect.set(globalThis, KNOWN, known);

// For all who wait for these, and who ask for them later.
export function say(texts: Readonly<Record<string, Labels>>): void {
  for (const [name, labels] of Object.entries(texts)) known.set(name, labels);
  document.dispatchEvent(new Event(SAID));
}

// Calls `use` with the labels, at once where they are known -> how to stop waiting.
export function whenSaid(labels: Labels | string, use: (labels: Labels) => void): () => void {
  const found = typeof labels === "string" ? known.get(labels) : labels;
  if (found) {
    use(found);
    return () => {};
  }
  const waiting = new AbortController();
  const look = () => {
    const said = known.get(labels as string);
    if (!said) return;
    waiting.abort();
    use(said);
  };
  document.addEventListener(SAID, look, { signal: waiting.signal });
  return () => waiting.abort();
}
