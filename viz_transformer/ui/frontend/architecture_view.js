// Entry point of architecture_view.py.

import { ArchitecturePanel } from "./architecture_panel.js";
import { mounting } from "./mount.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./architecture_drawing.js";
import "./architecture_layout.js";
import "./choice.js";
import "./colour.js";
import "./dom.js";
import "./settled.js";
import "./svg.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(ArchitecturePanel, decode);
