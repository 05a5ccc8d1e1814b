// Entry point of query_key_view in heads_view.py.

import { headsPanel } from "./heads_panel.js";
import { decodeStages } from "./heads_payload.js";
import { mounting } from "./mount.js";
import { QueryKey } from "./query_key.js";

export default mounting(headsPanel(QueryKey, ["module", "layer", "head"]), decodeStages);
