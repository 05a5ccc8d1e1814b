// Entry point of decoding/view.py.

import { component } from "../kit/component.ts";
import { type DecodingContent, DecodingPanel, type DecodingView } from "./panel.ts";

export default component<DecodingView, DecodingContent>((parent, settled) => new DecodingPanel(parent, settled));
