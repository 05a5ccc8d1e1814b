// Entry point of plot_view.py.

import { following } from "./follow.js";
import { reader } from "./payload.js";
import { PlotsPanel } from "./plots_panel.js";

export default following(PlotsPanel, (bytes) => reader(bytes).readJson());
