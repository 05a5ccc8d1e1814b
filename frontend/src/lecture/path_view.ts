// Entry point of path.py.

import { component } from "../kit/component.ts";
import type { Lecture } from "./lecture.ts";
import { PathPanel } from "./path.ts";

export default component<object, Lecture>((parent) => new PathPanel(parent));
