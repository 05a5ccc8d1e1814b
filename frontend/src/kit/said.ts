// The labels of all panels, by name: the page is sent them once (page_texts.py).

import type { Labels } from "./dom.ts";
import { Hearers } from "./hearers.ts";

const known = new Map<string, Labels>();
const waiting = new Hearers<[]>();

// Makes labels known to those who wait for them, and to those who ask later.
export function say(texts: Readonly<Record<string, Labels>>): void {
  for (const [name, labels] of Object.entries(texts)) known.set(name, forThisScreen(labels));
  waiting.tell();
}

// On a touch screen, which mostly has no keyboard either, a label counts in the form `…_touch` where it has one.
function forThisScreen(labels: Labels): Labels {
  if (!globalThis.matchMedia?.("(hover: none)").matches) return labels;
  return Object.fromEntries(Object.keys(labels).map((name) => [name, labels[`${name}_touch`] ?? labels[name]]));
}

// Calls `use` with the labels, at once where they are known -> how to stop waiting.
export function whenSaid(labels: Labels | string, use: (labels: Labels) => void): () => void {
  const found = typeof labels === "string" ? known.get(labels) : forThisScreen(labels);
  if (found) {
    use(found);
    return () => {};
  }
  const stop = waiting.hear(() => {
    const said = known.get(labels as string);
    if (!said) return;
    stop();
    use(said);
  });
  return stop;
}
