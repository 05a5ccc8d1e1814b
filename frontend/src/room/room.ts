// Entry point of room.py.

import { component } from "../kit/component.ts";
import { type Content, RoomPanel, type View } from "./panel.ts";

export default component<View, Content>((parent, settled) => new RoomPanel(parent, settled), true);
