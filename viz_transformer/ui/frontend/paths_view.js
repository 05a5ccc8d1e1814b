// Entry point of paths_view.py.

import { mounting } from "./mount.js";
import { PathsPanel } from "./paths_panel.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./colour.js";
import "./dom.js";
import "./paths_graph.js";
import "./settled.js";
import "./svg.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(PathsPanel, decode);
