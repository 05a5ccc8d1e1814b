// Entry point of plot_view.py.

import { mounting } from "./mount.js";
import { reader } from "./payload.js";
import { PlotsPanel } from "./plots_panel.js";

export default mounting(PlotsPanel, (bytes) => reader(bytes).readJson());
