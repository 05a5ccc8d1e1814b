// @ts-nocheck
// Reads the bytes that `film_view` and `pack_film` in film_view.py write; the format is described there.

import { reader } from "../kit/reader.ts";
import { readHeads } from "../maps/payload.ts";

export function decodeFilm(bytes) {
  const sections = reader(bytes);
  const request = sections.readJson();
  const film = sections.readJson();
  film.frames = film.sentences.map(() => film.snapshots.map(() => readHeads(sections)));
  return { request, film };
}
