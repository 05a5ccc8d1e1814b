// Entry point of paths_view.py.

import { following } from "./follow.js";
import { PathsPanel } from "./paths_panel.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default following(PathsPanel, decode);
