// Entry point of kernel_view.py.

import { following } from "./follow.js";
import { KernelPanel } from "./kernel_panel.js";
import { reader } from "./payload.js";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: { ...readJson(), ...readJson() } };
}

export default following(KernelPanel, decode);
