// Entry point of decoding_view.py.

import { DecodingPanel } from "./decoding_panel.js";
import { decodeDecoding } from "./decoding_payload.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./bars.js";
import "./canvas.js";
import "./choice.js";
import "./colour.js";
import "./controls.js";
import "./decoding_cache.js";
import "./decoding_link.js";
import "./decoding_n_best.js";
import "./decoding_strip.js";
import "./decoding_tree.js";
import "./decoding_words.js";
import "./dom.js";
import "./export.js";
import "./geometry.js";
import "./heatmap.js";
import "./legend.js";
import "./matrix.js";
import "./numbers.js";
import "./payload.js";
import "./tokens.js";
import "./words.js";
import { mounting } from "./mount.js";

export default mounting(DecodingPanel, decodeDecoding);
