// The three ways to explore the heads, which differ in what they draw and in what is chosen beside it.

import type { Settled } from "../kit/settled.ts";
import { Glance } from "../maps/glance.ts";
import { type HeadMaps, headMaps, type PackedMaps } from "../maps/maps.ts";
import { Arcs } from "./arcs.ts";
import { HeadsPanel } from "./panel.ts";
import { QueryKey } from "./query_key.ts";
import type { Stages } from "./stages.ts";
import type { HeadsView } from "./view.ts";

export class GlancePanel extends HeadsPanel<PackedMaps, HeadMaps> {
  constructor(parent: HTMLElement, settled: Settled<HeadsView>) {
    super(parent, settled, headMaps, (change, around) => new Glance(change, around), [], true);
  }
}

export class ArcsPanel extends HeadsPanel<PackedMaps, HeadMaps> {
  constructor(parent: HTMLElement, settled: Settled<HeadsView>) {
    super(parent, settled, headMaps, (change, around) => new Arcs(change, around), ["module", "layer"], true);
  }
}

export class QueryKeyPanel extends HeadsPanel<Stages, Stages> {
  constructor(parent: HTMLElement, settled: Settled<HeadsView>) {
    const choices = ["module", "layer", "head"] as const;
    super(
      parent,
      settled,
      (stages) => stages,
      (change, around) => new QueryKey(change, around),
      choices,
      false,
    );
  }
}
