// The sentence in which a picture says what its numbers show, for whoever shows the picture alone.

import { READING, speak } from "./voice.ts";

const told = new Set<HTMLElement>(); // what holds such a sentence
const hearers = new Set<() => void>();

// To be called when the sentence in `element` is another one.
export function tellReading(element: HTMLElement): void {
  told.add(element);
  speak(element, READING);
  for (const hearer of hearers) hearer();
}

// Calls `hearer` whenever a picture says something else -> stops hearing
export function hearReadings(hearer: () => void): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

// What the pictures within `.st-key-KEY` say, or a sentence that Python has put beside the picture.
export function readingOf(key: string): string {
  for (const element of told) if (!element.isConnected) told.delete(element);
  const said = [...told].filter((element) => key && hostOf(element)?.closest(`.st-key-${CSS.escape(key)}`));
  const texts = said.map((element) => (element.hidden ? "" : element.textContent.trim())).filter(Boolean);
  return texts[0] ?? document.querySelector(".vt-reading, .vt-reads, .st-key-vt-reading")?.textContent.trim() ?? "";
}

function hostOf(element: HTMLElement): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : element;
}
