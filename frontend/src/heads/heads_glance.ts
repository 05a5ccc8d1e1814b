// @ts-nocheck
// Entry point of heads_view in heads_view.py, as thumbnails.

import { mounting } from "../kit/mount.ts";
import { Glance } from "../maps/glance.ts";
import { decodeMaps } from "../maps/payload.ts";
import { headsPanel } from "./panel.ts";

export default mounting(headsPanel(Glance, []), decodeMaps);
