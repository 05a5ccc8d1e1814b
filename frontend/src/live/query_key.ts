// From q and k to the weights: every number of every head as it was recorded; head_stages.py.

import type { Stages } from "../heads/stages.ts";
import { ATTENTION_MODULES } from "../model/heads.ts";
import { moduleContent } from "./maps.ts";
import type { Trace } from "./trace.ts";

export function stagesContent(trace: Trace): Stages & { notes: readonly never[] } {
  return {
    modules: ATTENTION_MODULES.map((module) => {
      const records = trace.layers(module);
      return {
        ...moduleContent(
          trace,
          module,
          records.map(({ mask }) => mask),
        ),
        depth: records[0].q.shape[2],
        stages: records.map(({ q, k, scores, scaled, weights }) => ({ q, k, scores, scaled, weights })),
      };
    }),
    notes: [],
  };
}
