// Entry point of film_view.py.

import { FilmPanel } from "./film_panel.js";
import { decodeFilm } from "./film_payload.js";
import { mounting } from "./mount.js";

export default mounting(FilmPanel, decodeFilm);
