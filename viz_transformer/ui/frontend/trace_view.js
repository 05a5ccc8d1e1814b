// Entry point of trace_view.py.

import { mounting } from "./mount.js";
import { Panel } from "./panel.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./bars.js";
import "./canvas.js";
import "./choice.js";
import "./colour.js";
import "./controls.js";
import "./dom.js";
import "./export.js";
import "./geometry.js";
import "./heatmap.js";
import "./legend.js";
import "./look.js";
import "./matrix.js";
import "./numbers.js";
import "./settled.js";
import "./tokens.js";
import "./words.js";
import { decode } from "./payload.js";

export default mounting(Panel, decode);
