// Token ids, checked.

import { brief, SentenceError } from "./sentences.ts";

export function checkIds(name: string, ids: readonly number[], vocabSize: number): void {
  const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < vocabSize));
  if (wrong !== undefined) {
    throw new SentenceError("{name} must be whole numbers from 0 to {last}; {wrong} is not.", {
      name,
      last: vocabSize - 1,
      wrong: brief(wrong),
    });
  }
}
