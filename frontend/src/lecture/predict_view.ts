// Entry point of predict.py.

import { component } from "../kit/component.ts";
import { PredictPanel } from "./predict.ts";
import type { Asked } from "./predict_sheet.ts";

export default component<object, Asked>((parent) => new PredictPanel(parent));
