// Entry point of ARCS in view.py.

import { component } from "../kit/component.ts";
import { type HeadMaps, headMaps, type PackedMaps } from "../maps/maps.ts";
import { Arcs } from "./arcs.ts";
import { HeadsPanel } from "./panel.ts";
import type { HeadsView } from "./view.ts";

export default component<HeadsView, PackedMaps & { notes: string[] }>(
  (parent, settled) =>
    new HeadsPanel<PackedMaps, HeadMaps>(
      parent,
      settled,
      headMaps,
      (change, around) => new Arcs(change, around),
      ["module", "layer"],
      true,
    ),
);
