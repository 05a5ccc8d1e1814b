// Entry point of path.py.

import { component } from "../kit/component.ts";
import { type Path, PathPanel } from "./path.ts";

export default component<object, Path>((parent) => new PathPanel(parent));
