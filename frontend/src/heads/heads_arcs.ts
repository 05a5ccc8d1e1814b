// @ts-nocheck
// Entry point of heads_view in heads_view.py, as arcs.

import { mounting } from "../kit/mount.ts";
import { decodeMaps } from "../maps/payload.ts";
import { Arcs } from "./arcs.ts";
import { headsPanel } from "./panel.ts";

export default mounting(headsPanel(Arcs, ["module", "layer"]), decodeMaps);
