// @ts-nocheck
// Entry point of paths_view.py.

import { following } from "../kit/follow.ts";
import { reader } from "../kit/reader.ts";
import { PathsPanel } from "./paths_panel.ts";

function decode(bytes) {
  const { readJson } = reader(bytes);
  return { request: readJson(), content: readJson() };
}

export default following(PathsPanel, decode);
