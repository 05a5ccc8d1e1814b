// Entry point of heads_view in heads_view.py, as thumbnails.

import { Glance } from "./glance.js";
import { headsPanel } from "./heads_panel.js";
import { decodeMaps } from "./heads_payload.js";
import { mounting } from "./mount.js";

export default mounting(headsPanel(Glance, []), decodeMaps);
