// A list of listeners, who are told things in the order in which they came.

export class Hearers<Told extends unknown[]> {
  readonly #hearers = new Set<(...told: Told) => void>();

  // -> how to stop hearing
  readonly hear = (hearer: (...told: Told) => void): (() => void) => {
    this.#hearers.add(hearer);
    return () => void this.#hearers.delete(hearer);
  };

  // All have heard when this returns; where one fails, the others hear all the same.
  readonly tell = (...told: Told): void => {
    for (const hearer of [...this.#hearers]) {
      if (!this.#hearers.has(hearer)) continue; // one before it has stopped it
      try {
        hearer(...told);
      } catch (problem) {
        queueMicrotask(() => {
          throw problem;
        });
      }
    }
  };
}
