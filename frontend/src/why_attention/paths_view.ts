// Entry point of paths_view.py.

import { component } from "../kit/component.ts";
import type { Drawings, PathsView } from "./paths_content.ts";
import { PathsPanel } from "./paths_panel.ts";

export default component<PathsView, Drawings>((parent, settled) => new PathsPanel(parent, settled));
