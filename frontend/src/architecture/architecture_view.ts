// Entry point of view.py.

import { component } from "../kit/component.ts";
import type { ArchitectureView, Figure } from "./content.ts";
import { ArchitecturePanel } from "./panel.ts";

export default component<ArchitectureView, Figure>((parent, settled) => new ArchitecturePanel(parent, settled));
