// Greedy and beam search, one token at a time, with everything that was considered: search.py, by the rules of
// docs/decoding.md.
//
// - From k live hypotheses, the 2k best continuations by summed log-probability are the candidates of a step.
// - One that ends the sentence finishes if it is among the best k, and is pruned if not.
// - The best k of the others stay live.
// - Finished hypotheses are ranked by score. The best k are kept.
//
// Greedy search is the beam of one, which stops at the first end.

import type { TransformerConfig } from "./config.ts";
import { seeing } from "./hooks.ts";
import { checkIds } from "./ids.ts";
import { hooksOf, type Intervention } from "./interventions.ts";
import {
  type BeamOptions,
  bestFinished,
  checkBeam,
  DEFAULT_BEAM,
  type Hypothesis,
  type StopReason,
  scoreOf,
  stopReason,
} from "./ranking.ts";
import { brief, SentenceError } from "./sentences.ts";
import { type Floats, idsOf, logSoftmax } from "./tensor.ts";
import type { DecoderCache, Transformer } from "./transformer.ts";

export type Status = "live" | "finished" | "pruned";
export type Reason = "among_the_best" | "forced" | "ended" | "beam_full" | "end_too_low";

// One continuation that a step considered.
export interface Candidate {
  readonly parent: number; // which live hypothesis of the step before it continues
  readonly tokenId: number;
  readonly logProb: number; // log p(token | source, parent); 0 for an end token that is forced
  readonly totalLogProb: number; // by which candidates are ranked
  readonly score: number;
  readonly rank: number; // 0 for the best of the step
  readonly status: Status;
  readonly reason: Reason;
  readonly margin: number; // by how much a pruned one lost: the total of the last one kept, less its own; else 0
}

// What one step of the search did.
export interface DecodingStep {
  readonly index: number; // from 0; the step predicts the token at this place of the output
  readonly logProbs: Floats; // [live hypotheses before the step, V]
  readonly candidates: readonly Candidate[]; // the best first
  readonly live: readonly Hypothesis[]; // the best first
  readonly finished: readonly Hypothesis[]; // those so far, the best score first
  readonly stopReason: StopReason | null;
}

export interface SearchOptions extends BeamOptions {
  readonly prefixIds: readonly number[]; // how every output begins
  readonly bannedIds: readonly number[] | null; // never taken, but in the prefix; null: padding and the start token
  readonly interventions: readonly Intervention[];
}

export const GREEDY: Partial<SearchOptions> = { beamSize: 1, normalization: "sum" };

// The best finished hypothesis, or the best live one while none has finished.
export function bestOf({ finished, live }: DecodingStep): Hypothesis {
  return finished[0] ?? live[0];
}

// Searches for the output with the best score, yielding every step.
//
// Throws: a SentenceError about the option that is wrong, or where no token has a finite log-probability any more.
export function* beamSearch(
  model: Transformer,
  sourceIds: readonly number[],
  changes: Partial<SearchOptions> = {},
): Generator<DecodingStep, void, void> {
  const options = { ...DEFAULT_BEAM, prefixIds: [], bannedIds: null, interventions: [], ...changes };
  checkBeam(options);
  const { config } = model;
  const { end_id: endId, start_id: startId, target_vocab_size: V } = config;
  const { beamSize, forcedEnd, prefixIds } = options;
  const bannedIds = options.bannedIds ?? neverWritten(config);
  const maxLen = checkOutput(config, sourceIds, options.maxLen, prefixIds, bannedIds);
  if (forcedEnd && bannedIds.includes(endId)) {
    throw new SentenceError("The end token is banned, so it cannot be forced at the maximum length.");
  }

  const isBanned = new Uint8Array(V);
  for (const id of bannedIds) isBanned[id] = 1;
  const decoder = new StepDecoder(model, sourceIds, options.interventions);
  let live: Hypothesis[] = [{ ids: [], logProbs: [], totalLogProb: 0, score: 0, finished: false }];
  let finished: Hypothesis[] = [];
  let parents = [0];
  let lastIds = [startId];
  for (let index = 0; index < maxLen; index++) {
    const logProbs = decoder.step(parents, lastIds); // [live, V]
    const isEndForced = forcedEnd && index + 1 === maxLen;
    const forced = isEndForced ? endId : prefixIds[index];
    const added = (place: number) => (isEndForced ? 0 : logProbs.values[place]);
    const total = (place: number) => {
      const tokenId = place % V;
      if (forced === undefined ? isBanned[tokenId] : tokenId !== forced) return -Infinity;
      return live[Math.floor(place / V)].totalLogProb + added(place);
    };
    const considered = largest(live.length * V, total, 2 * beamSize);
    if (!considered.length) {
      throw new SentenceError("No token can follow at step {step}: none has a finite log-probability.", {
        step: index + 1,
      });
    }

    const candidates: Candidate[] = [];
    const nextLive: Hypothesis[] = [];
    [parents, lastIds] = [[], []];
    for (const [rank, place] of considered.entries()) {
      const [parent, tokenId] = [Math.floor(place / V), place % V];
      const [logProb, totalLogProb] = [added(place), total(place)];
      const ids = [...live[parent].ids, tokenId];
      const score = scoreOf(options, totalLogProb, ids.length);
      const isEnd = tokenId === endId;
      const status = isEnd ? (rank < beamSize ? "finished" : "pruned") : nextLive.length < beamSize ? "live" : "pruned";
      const tokenLogProbs = [...live[parent].logProbs, logProb];
      const hypothesis = { ids, logProbs: tokenLogProbs, totalLogProb, score, finished: isEnd };
      let reason: Reason;
      let margin = 0;
      if (status === "finished") {
        reason = isEndForced ? "forced" : "ended";
        finished.push(hypothesis);
      } else if (status === "live") {
        reason = forced === undefined ? "among_the_best" : "forced";
        nextLive.push(hypothesis);
        parents.push(parent);
        lastIds.push(tokenId);
      } else if (isEnd) {
        reason = "end_too_low";
        margin = candidates[beamSize - 1].totalLogProb - totalLogProb;
      } else {
        reason = "beam_full";
        margin = nextLive[beamSize - 1].totalLogProb - totalLogProb;
      }
      candidates.push({ parent, tokenId, logProb, totalLogProb, score, rank, status, reason, margin });
    }
    live = nextLive;
    finished = bestFinished(finished, beamSize);
    const stopped = stopReason(live, finished, options, index + 1, maxLen);
    yield { index, logProbs, candidates, live, finished: [...finished], stopReason: stopped };
    if (stopped) return;
  }
}

// The ids that no output holds: of padding and of the start token, in some models the same; never the end's.
function neverWritten({ pad_id, start_id, end_id }: TransformerConfig): number[] {
  return [pad_id, start_id].filter((id) => id !== end_id);
}

// The decoder as a search runs it: hypotheses to continue in, log-probabilities of the next token out.
class StepDecoder {
  readonly #model: Transformer;
  readonly #interventions: readonly Intervention[];
  readonly #sourceIds: readonly number[];
  readonly #memory: Floats; // [1, S, d_model], computed once
  readonly #cache: DecoderCache;

  constructor(model: Transformer, sourceIds: readonly number[], interventions: readonly Intervention[]) {
    this.#model = model;
    this.#interventions = interventions;
    this.#sourceIds = sourceIds;
    this.#memory = model.encode(idsOf([sourceIds]), this.#see());
    this.#cache = model.newCache();
  }

  // Row i continues what was row parents[i] with lastIds[i]; returns log p of the next token: [rows, V]
  step(parents: readonly number[], lastIds: readonly number[]): Floats {
    this.#cache.reorder(parents);
    const last = idsOf(lastIds.map((id) => [id])); // [rows, 1]
    const logits = this.#model.decode(last, this.#memory, idsOf([this.#sourceIds]), this.#see(), this.#cache);
    const [rows, , V] = logits.shape;
    return logSoftmax({ shape: [rows, V], values: logits.values }); // [rows, 1, V] -> [rows, V]
  }

  #see() {
    return seeing(hooksOf(this.#interventions, this.#model.config));
  }
}

// The places of the `count` largest of `size` numbers, the largest first, of equal ones the earlier; fewer where fewer
// are finite.
export function largest(size: number, valueAt: (place: number) => number, count: number): number[] {
  const places: number[] = [];
  const values: number[] = [];
  for (let place = 0; place < size; place++) {
    const value = valueAt(place);
    if (!(value > -Infinity) || (places.length === count && value <= values[count - 1])) continue;
    let at = places.length;
    while (at > 0 && values[at - 1] < value) at--;
    places.splice(at, 0, place);
    values.splice(at, 0, value);
    if (places.length > count) {
      places.pop();
      values.pop();
    }
  }
  return places.filter((_, n) => values[n] < Infinity);
}

// The most tokens to generate.
//
// Throws: a SentenceError about the argument that allows no output.
function checkOutput(
  config: TransformerConfig,
  sourceIds: readonly number[],
  asked: number | null,
  prefixIds: readonly number[],
  bannedIds: readonly number[],
): number {
  const limit = config.max_len;
  const maxLen = asked ?? limit;
  if (!(sourceIds.length >= 1 && sourceIds.length <= limit)) {
    throw new SentenceError("The source must have 1 to {limit} tokens, the end token included; it has {count}.", {
      limit,
      count: sourceIds.length,
    });
  }
  if (!(Number.isInteger(maxLen) && maxLen >= 1 && maxLen <= limit)) {
    throw new SentenceError(
      "The longest output must be a whole number from 1 to the model's {limit}; it was {asked}.",
      {
        limit,
        asked: brief(asked),
      },
    );
  }
  checkIds("The source's ids", sourceIds, config.source_vocab_size);
  if (sourceIds.every((id) => id === config.pad_id)) {
    throw new SentenceError("The source is padding only; it needs at least one other token.");
  }
  checkIds("The prefix's ids", prefixIds, config.target_vocab_size);
  checkIds("The banned ids", bannedIds, config.target_vocab_size);
  if (prefixIds.some((id) => id === config.pad_id || id === config.start_id || id === config.end_id)) {
    throw new SentenceError("A prefix must not contain padding, start or end tokens; it was {prefixIds}.", {
      prefixIds: brief(prefixIds),
    });
  }
  if (prefixIds.length >= maxLen) {
    throw new SentenceError("A prefix must be shorter than the longest output ({maxLen}); it has {count} tokens.", {
      maxLen,
      count: prefixIds.length,
    });
  }
  if (new Set(bannedIds).size === config.target_vocab_size) {
    throw new SentenceError("All {count} tokens are banned: no output is left.", { count: config.target_vocab_size });
  }
  return maxLen;
}
