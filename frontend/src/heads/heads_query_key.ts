// @ts-nocheck
// Entry point of query_key_view in heads_view.py.

import { mounting } from "../kit/mount.ts";
import { decodeStages } from "../maps/payload.ts";
import { headsPanel } from "./panel.ts";
import { QueryKey } from "./query_key.ts";

export default mounting(headsPanel(QueryKey, ["module", "layer", "head"]), decodeStages);
