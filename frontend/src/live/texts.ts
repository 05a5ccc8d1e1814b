// What live_file.py puts into a file besides the model: the program of the views, and every text in each language.

import type { Labels } from "../kit/dom.ts";
import type { Intervention } from "../model/interventions.ts";
import type { Kind } from "./contents.ts";

export interface Front {
  readonly code: string; // of the panels, a module that leaves its default export in `view`
  readonly model: string; // its name
  readonly source: string;
  readonly target: string | null;
  readonly interventions: readonly Intervention[];
  readonly opens: Kind;
  readonly layers: Readonly<Record<"encoder_self" | "decoder_self" | "cross", number>>;
  readonly language: string; // that it opens in, a key of `texts`
  readonly texts: Readonly<Record<string, Texts>>;
}

export interface Texts {
  readonly name: string; // of the language, in the language
  readonly tag: string; // in HTML
  readonly title: string;
  readonly facts: readonly (readonly [name: string, text: string])[]; // about the file
  readonly page: Labels; // of the page: see live_labels.py
  readonly contents: Labels; // of sheets and measures
  readonly views: Readonly<Record<Kind | "overview_given", { readonly panel: string; readonly labels: Labels }>>;
  readonly terms: Readonly<Record<string, string>>;
  readonly sentences: Labels; // what the model refuses with: English template -> that of this language
  readonly words: Labels; // in the values of such sentences
}
