// Opens the box that shares, from another panel.

import { Hearers } from "../kit/hearers.ts";

export const { tell: openShare, hear: hearOpenShare } = new Hearers<[]>();
