// Entry point of heads_view.py.

import { HeadsPanel } from "./heads_panel.js";
import { decodeHeads } from "./heads_payload.js";
import { mounting } from "./mount.js";

export default mounting(HeadsPanel, decodeHeads);
