// Ranks the finished hypotheses of a search by another score, without searching again: n_best.py.

import { type BeamOptions, bestFinished, type Hypothesis, scoreOf, stopReason } from "../model/ranking.ts";
import type { Step } from "./search_tree.ts";

export interface NBest {
  readonly hypotheses: readonly Hypothesis[]; // the best score first
  readonly steps: number; // how many of the recorded steps that search takes
  readonly needsSearch: boolean; // it would go on after the last recorded step, so only another search can tell
}

// `steps`: all of one beam search; `options`: its own, but for the score and the stop rule.
export function rerank(steps: readonly Step[], options: BeamOptions, maxLen: number): NBest {
  let before: readonly Hypothesis[] = [{ ids: [], logProbs: [], totalLogProb: 0, score: 0, finished: false }];
  let finished: Hypothesis[] = [];
  for (const { index, candidates, live } of steps) {
    const found = candidates.flatMap(({ status, parent, tokenId, logProb }) => {
      if (status !== "finished") return [];
      const ids = [...before[parent].ids, tokenId];
      const logProbs = [...before[parent].logProbs, logProb];
      const totalLogProb = logProbs.reduce((sum, one) => sum + one, 0);
      return [{ ids, logProbs, totalLogProb, score: scoreOf(options, totalLogProb, ids.length), finished: true }];
    });
    finished = bestFinished([...finished, ...found], options.beamSize);
    before = live;
    if (stopReason(live, finished, options, index + 1, maxLen))
      return { hypotheses: finished, steps: index + 1, needsSearch: false };
  }
  return { hypotheses: finished, steps: steps.length, needsSearch: true };
}
