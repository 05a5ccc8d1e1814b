// What a page asks the model's worker, and what it is told. Each reply has the id of its request.

import type { Intervention } from "./interventions.ts";
import type { DecodingStep, SearchOptions } from "./search.ts";
import type { Floats, Tensor } from "./tensor.ts";
import type { EncodedText } from "./tokenizer.ts";
import type { ModelFiles } from "./translator.ts";

// The weights themselves, or where they are fetched from.
export type AskedFiles = Omit<ModelFiles, "weights"> & { readonly weights: ModelFiles["weights"] | string };

// A newer request cancels those before it, but for a load, which they wait for.
export type Request =
  | { readonly id: number; readonly kind: "load"; readonly files: AskedFiles }
  | {
      readonly id: number;
      readonly kind: "translate";
      readonly text: string;
      readonly options: Partial<SearchOptions>; // {} is a beam of four, GREEDY of search.ts is greedy search
    }
  | {
      readonly id: number;
      readonly kind: "pass";
      readonly text: string;
      readonly target: string | null; // null: the model's own greedy output, under the same interventions
      readonly interventions: readonly Intervention[];
    };

export type Reply = { readonly id: number } & (
  | { readonly kind: "progress"; readonly part: "fetched" | "read"; readonly done: number } // of the weights, up to 1
  | { readonly kind: "loaded" }
  | { readonly kind: "step"; readonly step: Omit<DecodingStep, "logProbs">; readonly text: string } // the best so far
  | { readonly kind: "translated"; readonly source: EncodedText; readonly text: string }
  | {
      readonly kind: "passed";
      readonly source: EncodedText;
      readonly sourceTokens: readonly string[];
      readonly targetTokens: readonly string[];
      readonly predictedTokens: readonly string[];
      readonly predictedIds: readonly number[];
      readonly points: Readonly<Record<string, Tensor>>; // every hook point, in the order of the pass
      readonly logProbs: Floats; // [T, V]
      readonly text: string; // of the target
    }
  | { readonly kind: "cancelled" }
  | {
      readonly kind: "refused"; // with a sentence for a person
      readonly message: string;
      readonly template: string;
      readonly values: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "failed"; readonly message: string } // with an error of the program
);
