// @ts-nocheck
// Entry point of architecture_view.py.

import { mounting } from "../kit/mount.ts";
import { reader } from "../kit/reader.ts";
import { ArchitecturePanel } from "./panel.ts";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default mounting(ArchitecturePanel, decode);
