// @ts-nocheck
// Entry point of film_view.py.

import { mounting } from "../kit/mount.ts";
import { FilmPanel } from "./film_panel.ts";
import { decodeFilm } from "./film_payload.ts";

export default mounting(FilmPanel, decodeFilm);
