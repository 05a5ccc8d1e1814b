// Going on in a lecture. Whoever has something to show first takes the step: a prediction is revealed, for instance.

const SHEET = ".st-key-predict"; // where a question has its answer sheet

// What going on does: it reveals the answer, shows the picture, says the scene's sentence, opens the next place.
export type Does = "reveal" | "picture" | "sentence" | "place";
export interface Step {
  readonly does: Does;
  take(): void;
}
type Offer = () => Step | null;
const offers = new Set<Offer>();

// The step that is taken before the lecture goes on; null: none.
export function nextStep(): Step | null {
  for (const offer of offers) {
    const step = offer();
    if (step) return step;
  }
  return null;
}

// `offer` says which step it has, if any. -> offers none any more
export function offerStep(offer: Offer): () => void {
  offers.add(offer);
  return () => void offers.delete(offer);
}

// A style rule from the server hides what comes after the sheet, until `data-revealed` names its question.
export function hideRest(sheet: HTMLElement, id: string, isHidden: boolean): void {
  const root = sheet.getRootNode();
  const place = (root instanceof ShadowRoot ? root.host : sheet).closest(SHEET);
  if (isHidden) place?.removeAttribute("data-revealed");
  else place?.setAttribute("data-revealed", id);
  for (const hearer of hearers) hearer();
}

// Whether the page is shown since this question was answered.
export const isRestShown = (id: string): boolean => document.querySelector(SHEET)?.getAttribute("data-revealed") === id;

const hearers = new Set<() => void>();

// Calls `hearer` whenever the page is hidden or shown -> stops hearing
export function hearRest(hearer: () => void): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}
