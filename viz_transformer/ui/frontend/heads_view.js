// Entry point of heads_view.py.

import { HeadsPanel } from "./heads_panel.js";
import { decodeHeads } from "./heads_payload.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./arcs.js";
import "./arcs_layout.js";
import "./arcs_paint.js";
import "./arcs_raster.js";
import "./canvas.js";
import "./choice.js";
import "./colour.js";
import "./dom.js";
import "./export.js";
import "./geometry.js";
import "./glance.js";
import "./glance_layout.js";
import "./heatmap.js";
import "./legend.js";
import "./look.js";
import "./matrix.js";
import "./numbers.js";
import "./payload.js";
import "./plot.js";
import "./query_key.js";
import "./query_key_layout.js";
import "./query_key_paint.js";
import "./settled.js";
import "./tokens.js";
import "./words.js";
import { mounting } from "./mount.js";

export default mounting(HeadsPanel, decodeHeads);
