// Entry point of plot_view.py.

import { mounting } from "./mount.js";
import { reader } from "./payload.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./canvas.js";
import "./colour.js";
import "./dom.js";
import "./export.js";
import "./look.js";
import "./numbers.js";
import "./plot.js";
import "./plots_paint.js";
import { PlotsPanel } from "./plots_panel.js";

export default mounting(PlotsPanel, (bytes) => reader(bytes).readJson());
