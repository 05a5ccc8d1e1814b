// Entry point of share.py.

import { component } from "../kit/component.ts";
import { type Shared, SharePanel, type View } from "./panel.ts";

export default component<View, Shared>((parent, settled) => new SharePanel(parent, settled), true);
