// @ts-nocheck
// Entry point of plot_view.py.

import { following } from "../kit/follow.ts";
import { reader } from "../kit/reader.ts";
import { PlotsPanel } from "./panel.ts";

export default following(PlotsPanel, (bytes) => reader(bytes).readJson());
