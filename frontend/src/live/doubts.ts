// Signs that a model is unsure of its own output, read off the pass that wrote it: doubt.py.

import type { DoubtContent } from "../trace/payload.ts";
import type { Trace } from "./trace.ts";
import { END, isPunctuation, isStart } from "./words.ts";

const LEAST_PROBABILITY = 0.78;
const LEAST_LOOK = 0.35;

// At most one of a kind; none where it is sure.
export function doubtsOf(trace: Trace): DoubtContent[] {
  const { predictedIds, predictedTokens } = trace.pass;
  const found: DoubtContent[] = [];
  const total = predictedIds.reduce((sum, id, t) => sum + trace.logProbsAt(t)[id], 0);
  const probability = Math.exp(total / predictedIds.length);
  if (probability < LEAST_PROBABILITY) found.push({ sign: "improbable", token: "", value: probability });
  const { token, count } = longestRun(predictedTokens);
  if (count > 1) found.push({ sign: "repeated", token, value: count });
  const looks = looksOf(trace);
  const least = looks.reduce((best, look, t) => (look < looks[best] ? t : best), 0);
  if (looks[least] < LEAST_LOOK) found.push({ sign: "unread", token: predictedTokens[least], value: looks[least] });
  return found;
}

// The word that stands most often in a row, of equal ones the first.
function longestRun(tokens: readonly string[]): { token: string; count: number } {
  let best = { token: "", count: 1 };
  let count = 0;
  for (const [t, token] of tokens.entries()) {
    count = token === tokens[t - 1] ? count + 1 : 1;
    if (isWord(token) && count > best.count) best = { token, count };
  }
  return best;
}

// For each token, the largest weight that a head of cross-attention had on a word of the source; 1 where there is none to
// read. Only what begins a word needs to look: the rest of a word follows from its beginning.
function looksOf(trace: Trace): number[] {
  const words = trace.sourceTokens.flatMap((token, s) => (isWord(token) ? [s] : []));
  const records = trace.layers("cross");
  return trace.pass.predictedTokens.map((token, t) => {
    if (!words.length || !isWord(token) || token.startsWith("##")) return 1;
    let largest = -Infinity;
    for (const { weights } of records) {
      const [H, T, S] = weights.shape;
      for (let h = 0; h < H; h++) {
        for (const s of words) largest = Math.max(largest, weights.values[(h * T + t) * S + s]);
      }
    }
    return largest;
  });
}

function isWord(token: string): boolean {
  return token !== END && !isStart(token) && !isPunctuation(token);
}
