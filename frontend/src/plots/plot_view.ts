// Entry point of plot_view.py.

import { component } from "../kit/component.ts";
import type { Plots } from "./content.ts";
import { PlotsPanel } from "./panel.ts";

export default component<object, Plots>((parent) => new PlotsPanel(parent));
