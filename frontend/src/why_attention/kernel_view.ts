// Entry point of kernel_view.py.

import { component } from "../kit/component.ts";
import type { KernelView, Sent } from "./kernel_content.ts";
import { KernelPanel } from "./kernel_panel.ts";

export default component<KernelView, Sent>((parent, settled) => new KernelPanel(parent, settled));
