// Entry point of architecture_view.py.

import { ArchitecturePanel } from "./architecture_panel.js";
import { mounting } from "./mount.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(ArchitecturePanel, decode);
