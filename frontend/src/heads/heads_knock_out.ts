// Entry point of KNOCK_OUT in knock_out_view.py.

import { component } from "../kit/component.ts";
import { type Impacts, KnockOutPanel, type KnockOutView } from "./knock_out.ts";

export default component<KnockOutView, Impacts>((parent, settled) => new KnockOutPanel(parent, settled));
