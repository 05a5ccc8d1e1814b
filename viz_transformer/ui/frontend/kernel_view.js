// Entry point of kernel_view.py.

import { KernelPanel } from "./kernel_panel.js";
import { mounting } from "./mount.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(KernelPanel, decode);
