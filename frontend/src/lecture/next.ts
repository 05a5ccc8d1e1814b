// Going on in a lecture. Whoever has something to show first takes the step: a prediction is revealed, for instance.

const NEXT = "viz-next";

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
