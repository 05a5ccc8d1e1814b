// How a search scores its hypotheses, and when it stops: ranking.py.

import { brief, SentenceError } from "./sentences.ts";

const NORMALIZATIONS = ["gnmt", "power", "mean", "sum"] as const;
const STOP_RULES = ["first", "likely", "certain"] as const;
export type Normalization = (typeof NORMALIZATIONS)[number];
export type StopRule = (typeof STOP_RULES)[number];
export type StopReason = "beam_finished" | "no_better_now" | "no_better_ever" | "max_len";

const MAX_BEAM_SIZE = 4096;
const MAX_LENGTH_PENALTY = 40; // in either direction

// One output so far.
export interface Hypothesis {
  readonly ids: readonly number[]; // without the start token; the last is the end token if it finished
  readonly logProbs: readonly number[]; // log p of each, natural logarithm
  readonly totalLogProb: number; // their sum, by which live ones are ranked
  readonly score: number; // the sum normalised for length, by which finished ones are ranked
  readonly finished: boolean; // whether it ended by itself
}

export interface BeamOptions {
  readonly beamSize: number;
  readonly lengthPenalty: number; // α, for "gnmt" and "power"
  readonly normalization: Normalization;
  readonly stop: StopRule;
  readonly maxLen: number | null; // the most tokens to generate; null: the model's own
  readonly forcedEnd: boolean; // whether the last of maxLen tokens must be the end token, which then costs nothing
}

export const DEFAULT_BEAM: BeamOptions = {
  beamSize: 4,
  lengthPenalty: 0.6,
  normalization: "gnmt",
  stop: "first",
  maxLen: null,
  forcedEnd: false,
};

export function checkBeam({ beamSize, lengthPenalty, normalization, stop }: BeamOptions): void {
  if (!(Number.isInteger(beamSize) && beamSize >= 1 && beamSize <= MAX_BEAM_SIZE)) {
    throw new SentenceError("The beam must be a whole number from 1 to {limit} wide; it was {beamSize}.", {
      limit: MAX_BEAM_SIZE,
      beamSize: brief(beamSize),
    });
  }
  if (!(typeof lengthPenalty === "number" && Math.abs(lengthPenalty) <= MAX_LENGTH_PENALTY)) {
    throw new SentenceError("The length penalty must be a number from {least} to {limit}; it was {lengthPenalty}.", {
      least: -MAX_LENGTH_PENALTY,
      limit: MAX_LENGTH_PENALTY,
      lengthPenalty: brief(lengthPenalty),
    });
  }
  for (const [name, value, allowed] of [
    ["normalization", normalization, NORMALIZATIONS],
    ["stop", stop, STOP_RULES],
  ] as const) {
    if (!(allowed as readonly string[]).includes(value)) {
      throw new SentenceError("{name} must be one of {allowed}; it was {value}.", {
        name,
        allowed: allowed.join(", "),
        value: brief(value),
      });
    }
  }
}

// A summed log-probability, normalised for a length in tokens.
export function scoreOf({ normalization, lengthPenalty }: BeamOptions, total: number, length: number): number {
  if (normalization === "sum") return total;
  if (normalization === "mean") return total / length;
  if (normalization === "power") return total / length ** lengthPenalty;
  return total / ((5 + length) / 6) ** lengthPenalty; // Wu et al. 2016, equation 14
}

// The best so many, the best score first; of equal ones the earlier.
export function bestFinished(finished: readonly Hypothesis[], beamSize: number): Hypothesis[] {
  return finished.toSorted((one, other) => other.score - one.score).slice(0, beamSize);
}

// Why a search of at most `maxLen` steps ends after number `length`, or null where it goes on. Both lists have the best
// first.
export function stopReason(
  live: readonly Hypothesis[],
  finished: readonly Hypothesis[],
  options: BeamOptions,
  length: number,
  maxLen: number,
): StopReason | null {
  const { beamSize, stop, forcedEnd } = options;
  if (forcedEnd && length >= maxLen) return "max_len"; // all have finished, but not by themselves
  if (finished.length >= beamSize) {
    if (stop === "first" || beamSize === 1) return "beam_finished";
    // A sum only falls, and its score is monotonic in the length: the highest to come is at one end of the range.
    const lengths = stop === "likely" ? [length] : [length, maxLen];
    const worst = finished[finished.length - 1].score;
    if (!live.length || Math.max(...lengths.map((n) => scoreOf(options, live[0].totalLogProb, n))) <= worst)
      return stop === "likely" ? "no_better_now" : "no_better_ever";
  }
  if (!live.length) return "no_better_ever";
  return length >= maxLen ? "max_len" : null;
}
