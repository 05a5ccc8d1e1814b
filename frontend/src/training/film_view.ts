// Entry point of film_view.py.

import { component } from "../kit/component.ts";
import type { FilmView, PackedFilm } from "./film.ts";
import { FilmPanel } from "./panel.ts";

export default component<FilmView, PackedFilm>((parent, settled) => new FilmPanel(parent, settled));
