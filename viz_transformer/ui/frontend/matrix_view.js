// Entry point of matrix_view.py.

import { following } from "./follow.js";
import { decodeMatrices } from "./matrix_payload.js";
import { MatrixPanel } from "./matrix_panel.js";

export default following(MatrixPanel, decodeMatrices);
