// Entry point of film_view.py.

import { FilmPanel } from "./film_panel.js";
import { decodeFilm } from "./film_payload.js";
// And the rest of what they import, so that the browser fetches all at once and not level by level.
import "./canvas.js";
import "./choice.js";
import "./colour.js";
import "./dom.js";
import "./export.js";
import "./film_curve.js";
import "./geometry.js";
import "./glance.js";
import "./glance_layout.js";
import "./heads_payload.js";
import "./heatmap.js";
import "./legend.js";
import "./look.js";
import "./matrix.js";
import "./numbers.js";
import "./payload.js";
import "./plot.js";
import "./tokens.js";
import "./words.js";
import { mounting } from "./mount.js";

export default mounting(FilmPanel, decodeFilm);
