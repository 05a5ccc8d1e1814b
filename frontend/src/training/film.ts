// A training run as film_view.py sends it: what is the same in all snapshots came once.

import type { Tensor } from "../kit/codec.ts";
import { type HeadMaps, ModuleMaps, type PackedModule } from "../maps/maps.ts";
import type { GlanceView } from "../maps/view.ts";

export interface PackedFilm {
  readonly steps: number; // of the whole run
  readonly count: number; // of the sequences that are generated at each snapshot
  readonly curve: { readonly steps: Tensor<Int32Array>; readonly losses: Tensor<Float64Array> };
  readonly snapshots: {
    readonly steps: Tensor<Int32Array>;
    readonly numbers: Readonly<Record<string, Tensor<Float64Array>>>; // NaN where it was not measured
  };
  readonly sentences: readonly {
    readonly source: string;
    readonly modules: readonly (PackedModule & { readonly codes: Tensor<Uint16Array> })[]; // (snapshots, cells)
  }[];
  readonly unit: number; // the code of a weight of 1
}

export interface FilmView extends Omit<GlanceView, "score" | "order"> {
  readonly at: number | null; // the snapshot; null is the newest
  readonly sentence: number;
}

// What a curve goes through; a value that is no number is a gap.
export type Points = readonly (readonly [step: number, value: number])[];

export class Film {
  readonly steps: number;
  readonly count: number;
  readonly sentences: readonly string[];
  readonly snapshotSteps: Int32Array;
  readonly losses: Points; // of training
  readonly #packed: PackedFilm;
  readonly #maps = new Map<string, HeadMaps>();

  constructor(packed: PackedFilm) {
    const { steps, losses } = packed.curve;
    this.#packed = packed;
    this.steps = packed.steps;
    this.count = packed.count;
    this.sentences = packed.sentences.map(({ source }) => source);
    this.snapshotSteps = packed.snapshots.steps.values;
    this.losses = Array.from(steps.values, (step, n) => [step, losses.values[n]] as const);
  }

  get last(): number {
    return this.snapshotSteps.length - 1;
  }

  // What was measured at a snapshot; NaN where it was not.
  numberAt(name: string, at: number): number {
    return this.#packed.snapshots.numbers[name]?.values[at] ?? Number.NaN;
  }

  // The same, at all snapshots.
  numbers(name: string): Points {
    return Array.from(this.snapshotSteps, (step, at) => [step, this.numberAt(name, at)] as const);
  }

  // All heads on a sentence at a snapshot, the same object each time; null in a model without attention.
  mapsAt(sentence: number, at: number): HeadMaps | null {
    const own = this.#packed.sentences[sentence];
    if (!own) return null;
    const key = `${sentence} ${at}`;
    const known = this.#maps.get(key);
    if (known) return known;
    const steps = this.#packed.unit;
    const maps = {
      steps,
      scores: [],
      modules: own.modules.map((module) => {
        const [, cells] = module.codes.shape;
        return new ModuleMaps(module, module.codes.values.subarray(at * cells, (at + 1) * cells), steps);
      }),
    };
    this.#maps.set(key, maps);
    return maps;
  }
}
