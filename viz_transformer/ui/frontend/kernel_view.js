// Entry point of kernel_view.py.

import { KernelPanel } from "./kernel_panel.js";
import { mounting } from "./mount.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./canvas.js";
import "./colour.js";
import "./dom.js";
import "./geometry.js";
import "./heatmap.js";
import "./kernel_numbers.js";
import "./kernel_plot.js";
import "./legend.js";
import "./look.js";
import "./numbers.js";
import "./settled.js";
import "./svg.js";
import "./tokens.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(KernelPanel, decode);
