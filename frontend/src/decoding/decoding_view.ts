// @ts-nocheck
// Entry point of decoding_view.py.

import { mounting } from "../kit/mount.ts";
import { DecodingPanel } from "./panel.ts";
import { decodeDecoding } from "./payload.ts";

export default mounting(DecodingPanel, decodeDecoding);
