// Entry point of matrix_view.py.

import { decodeMatrices } from "./matrix_payload.js";
import { MatrixPanel } from "./matrix_panel.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./canvas.js";
import "./choice.js";
import "./colour.js";
import "./dom.js";
import "./export.js";
import "./geometry.js";
import "./heatmap.js";
import "./layout.js";
import "./legend.js";
import "./look.js";
import "./matrix.js";
import "./numbers.js";
import "./payload.js";
import "./settled.js";
import "./stage.js";
import "./tokens.js";
import "./words.js";
import { mounting } from "./mount.js";

export default mounting(MatrixPanel, decodeMatrices);
