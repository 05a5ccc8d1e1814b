// Entry point of path.py.

import { component } from "../kit/component.ts";
import type { Shown } from "./own.ts";
import { PathPanel } from "./path.ts";

export default component<object, Shown>((parent) => new PathPanel(parent));
