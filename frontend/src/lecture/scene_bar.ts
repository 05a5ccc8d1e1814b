// Entry point of scene.py.

import { component } from "../kit/component.ts";
import { SceneBar } from "./bar.ts";
import type { Lecture, View } from "./lecture.ts";

export default component<View, Lecture>((parent, settled) => new SceneBar(parent, settled));
