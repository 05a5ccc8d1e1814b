// The three ways to explore the heads, which differ in what they draw and in what is chosen beside it.

import type { ViewState } from "../kit/view_state.ts";
import { HeadGrid } from "../maps/head_grid.ts";
import { type HeadMaps, headMaps, type PackedMaps } from "../maps/maps.ts";
import { Arcs } from "./arcs.ts";
import { HeadsPanel } from "./panel.ts";
import { QueryKey } from "./query_key.ts";
import type { Stages } from "./stages.ts";
import type { HeadsView } from "./view.ts";

export class GlancePanel extends HeadsPanel<PackedMaps, HeadMaps> {
  constructor(parent: HTMLElement, state: ViewState<HeadsView>) {
    super(parent, state, headMaps, (change, around) => new HeadGrid(change, around), [], true);
  }
}

export class ArcsPanel extends HeadsPanel<PackedMaps, HeadMaps> {
  constructor(parent: HTMLElement, state: ViewState<HeadsView>) {
    super(parent, state, headMaps, (change, around) => new Arcs(change, around), ["module", "layer"], true);
  }
}

export class QueryKeyPanel extends HeadsPanel<Stages, Stages> {
  constructor(parent: HTMLElement, state: ViewState<HeadsView>) {
    const choices = ["module", "layer", "head"] as const;
    super(
      parent,
      state,
      (stages) => stages,
      (change, around) => new QueryKey(change, around),
      choices,
      false,
    );
  }
}
