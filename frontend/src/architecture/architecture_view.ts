// Entry point of view.py.

import { component } from "../kit/component.ts";
import { ArchitecturePanel, type ArchitectureView, type Figure } from "./panel.ts";

export default component<ArchitectureView, Figure>((parent, settled) => new ArchitecturePanel(parent, settled));
