// Entry point of trace_view.py.

import { component } from "../kit/component.ts";
import type { TraceContent } from "../trace/payload.ts";
import { TracePanel, type TraceView } from "./panel.ts";

export default component<TraceView, TraceContent>((parent, settled) => new TracePanel(parent, settled));
