// @ts-nocheck
// Entry point of matrix_view.py.

import { following } from "../kit/follow.ts";
import { MatrixPanel } from "./panel.ts";
import { decodeMatrices } from "./payload.ts";

export default following(MatrixPanel, decodeMatrices);
