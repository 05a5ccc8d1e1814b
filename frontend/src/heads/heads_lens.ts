// Entry point of LENS in view.py.

import { component } from "../kit/component.ts";
import { type LensContent, LensPanel, type LensView } from "./lens.ts";

export default component<LensView, LensContent>((parent, settled) => new LensPanel(parent, settled));
