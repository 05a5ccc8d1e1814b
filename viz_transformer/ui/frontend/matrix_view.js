// Entry point of matrix_view.py.

import { decodeMatrices } from "./matrix_payload.js";
import { MatrixPanel } from "./matrix_panel.js";
import { mounting } from "./mount.js";

export default mounting(MatrixPanel, decodeMatrices);
