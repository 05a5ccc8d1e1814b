// Entry point of GLANCE in view.py.

import { component } from "../kit/component.ts";
import { Glance } from "../maps/glance.ts";
import { type HeadMaps, headMaps, type PackedMaps } from "../maps/maps.ts";
import { HeadsPanel } from "./panel.ts";
import type { HeadsView } from "./view.ts";

export default component<HeadsView, PackedMaps & { notes: string[] }>(
  (parent, settled) =>
    new HeadsPanel<PackedMaps, HeadMaps>(
      parent,
      settled,
      headMaps,
      (change, around) => new Glance(change, around),
      [],
      true,
    ),
);
