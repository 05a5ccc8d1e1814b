// @ts-nocheck
// Entry point of trace_view.py.

import { mounting } from "../kit/mount.ts";
import { decode } from "../trace/payload.ts";
import { Panel } from "./panel.ts";

export default mounting(Panel, decode);
