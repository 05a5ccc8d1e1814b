// Entry point of QUERY_KEY in view.py.

import { component } from "../kit/component.ts";
import { HeadsPanel } from "./panel.ts";
import { QueryKey } from "./query_key.ts";
import type { Stages } from "./stages.ts";
import type { HeadsView } from "./view.ts";

export default component<HeadsView, Stages & { notes: string[] }>(
  (parent, settled) =>
    new HeadsPanel<Stages, Stages>(
      parent,
      settled,
      (stages) => stages,
      (change, around) => new QueryKey(change, around),
      ["module", "layer", "head"],
      false,
    ),
);
