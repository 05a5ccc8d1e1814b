// Entry point of kernel_view.py.

import { component } from "../kit/component.ts";
import { KernelPanel, type KernelView, type Sent } from "./kernel_panel.ts";

export default component<KernelView, Sent>((parent, settled) => new KernelPanel(parent, settled));
