// Entry point of trace_view.py.

import { mounting } from "./mount.js";
import { Panel } from "./panel.js";
import { decode } from "./payload.js";

export default mounting(Panel, decode);
