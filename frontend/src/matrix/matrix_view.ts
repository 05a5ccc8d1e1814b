// Entry point of matrix_view.py.

import { component } from "../kit/component.ts";
import { MatrixPanel } from "./panel.ts";
import type { Content, View } from "./sheet.ts";

export default component<View, Content>((parent, settled) => new MatrixPanel(parent, settled));
