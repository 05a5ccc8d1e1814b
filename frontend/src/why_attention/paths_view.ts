// Entry point of paths_view.py.

import { component } from "../kit/component.ts";
import { type Drawings, PathsPanel, type PathsView } from "./paths_panel.ts";

export default component<PathsView, Drawings>((parent, settled) => new PathsPanel(parent, settled));
