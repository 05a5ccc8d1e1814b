// Entry point of path.py, for the lecturer's notes.

import { component } from "../kit/component.ts";
import type { Lecture, View } from "./lecture.ts";
import { NotesPanel } from "./notes.ts";

export default component<View, Lecture>((parent, settled) => new NotesPanel(parent, settled));
