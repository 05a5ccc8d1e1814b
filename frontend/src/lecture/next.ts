// Going on in a lecture. Whoever has something to show first takes the step: a prediction is revealed, for instance.

const NEXT = "viz-next";
const SHEET = ".st-key-predict"; // where a question has its answer sheet

// -> whether nobody took it
export function offerNext(): boolean {
  return document.dispatchEvent(new Event(NEXT, { cancelable: true }));
}

// `take` says whether it took the step. -> stops listening
export function takeNext(take: () => boolean): () => void {
  const onNext = (event: Event): void => {
    if (take()) event.preventDefault();
  };
  document.addEventListener(NEXT, onNext);
  return () => document.removeEventListener(NEXT, onNext);
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
