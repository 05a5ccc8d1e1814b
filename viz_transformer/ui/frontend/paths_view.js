// Entry point of paths_view.py.

import { mounting } from "./mount.js";
import { PathsPanel } from "./paths_panel.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(PathsPanel, decode);
