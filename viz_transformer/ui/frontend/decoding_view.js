// Entry point of decoding_view.py.

import { DecodingPanel } from "./decoding_panel.js";
import { decodeDecoding } from "./decoding_payload.js";
import { mounting } from "./mount.js";

export default mounting(DecodingPanel, decodeDecoding);
