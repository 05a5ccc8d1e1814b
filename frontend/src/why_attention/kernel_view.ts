// @ts-nocheck
// Entry point of kernel_view.py.

import { following } from "../kit/follow.ts";
import { reader } from "../kit/reader.ts";
import { KernelPanel } from "./kernel_panel.ts";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: { ...readJson(), ...readJson() } };
}

export default following(KernelPanel, decode);
