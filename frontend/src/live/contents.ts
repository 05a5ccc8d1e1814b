// The contents and the views of all kinds, of one text that the model has read.

import type { Labels } from "../kit/dom.ts";
import type { AttentionModule, HeadRef } from "../model/heads.ts";
import type { Intervention } from "../model/interventions.ts";
import type { BeamOptions } from "../model/ranking.ts";
import type { EncodedText } from "../model/tokenizer.ts";
import type { TracedPass, Translator } from "../model/translator.ts";
import { mapsContent } from "./maps.ts";
import { traceContent } from "./overview.ts";
import { pack } from "./pack.ts";
import { stagesContent } from "./query_key.ts";
import { SearchTree, type Step } from "./search_tree.ts";
import { sheetsContent } from "./steps.ts";
import { Trace } from "./trace.ts";
import { packSearch, shownContent } from "./tree.ts";
import * as views from "./views.ts";

export const KINDS = ["overview", "glance", "arcs", "query_key", "steps", "tree"] as const;
export type Kind = (typeof KINDS)[number];

export interface Shown {
  readonly content: Uint8Array<ArrayBuffer>; // packed
  readonly view: object;
}

// What is asked of a kind, besides the text.
export interface Asked {
  readonly view: object | null; // the one on the screen, which is fitted; null: the usual one
  readonly isNew?: boolean; // whether that one is of another text
  readonly module: AttentionModule; // of the steps
  readonly layer: number; // of the steps
  readonly labels: Labels; // of sheets, measures and the trace's view
}

// A text, what the model writes, and the pass over both.
export class Contents {
  readonly trace: Trace;
  readonly #translator: Translator;
  readonly #source: EncodedText;
  readonly #interventions: readonly Intervention[];

  constructor(
    translator: Translator,
    source: EncodedText,
    pass: TracedPass,
    interventions: readonly Intervention[],
    isGiven: boolean,
  ) {
    this.#translator = translator;
    this.#source = source;
    this.#interventions = interventions;
    this.trace = this.#traceOf(pass, isGiven);
  }

  shown(kind: Exclude<Kind, "tree">, asked: Asked): Shown {
    const { trace } = this;
    switch (kind) {
      case "overview":
        return {
          content: pack(traceContent(trace)),
          view: views.fittingOverview(viewIn(asked, views.usualOverview(trace)), trace),
        };
      case "steps":
        return this.#steps(asked);
      case "query_key":
        return {
          content: pack(stagesContent(trace)),
          view: views.fittingQuery(viewIn(asked, views.usualHeads(trace)), trace),
        };
      default:
        return {
          content: pack(mapsContent(trace, asked.labels)),
          view: views.fittingHeads(viewIn(asked, views.usualHeads(trace)), trace),
        };
    }
  }

  tree({ tree, packed }: SearchOf, asked: Pick<Asked, "view" | "isNew">): Shown {
    const view = viewIn(asked, views.usualTree(tree, this.trace.opensWith));
    const fitted = views.fittingTree(view, tree, this.trace);
    const pass = this.#translator.pass(this.#source, tree.ids(fitted.node), asGenerated(this.#interventions));
    return { content: pack(shownContent(packed, this.#traceOf(pass, false), fitted.node)), view: fitted };
  }

  // `greedy`: finds what greedy search writes, where the steps do not tell.
  search(options: BeamOptions, steps: readonly Step[], greedy: () => readonly number[]): SearchOf {
    const { model, targetTokenizer } = this.#translator;
    const tree = new SearchTree(options, steps, model.config.end_id);
    const path = tree.greedyIds() ?? greedy();
    return { tree, packed: packSearch(tree, path, targetTokenizer, model.config, this.#source.ids.length + 1) };
  }

  #steps(asked: Asked): Shown {
    const content = sheetsContent(this.trace, asked.module, asked.layer, asked.labels);
    const [sheet] = content.sheets;
    const shapes = sheet.matrices.map(({ values }) => values.shape);
    const view = viewIn(asked, views.usualStages(0));
    return {
      content: pack(content),
      view: views.fittingStages(view, content.sheets.length, shapes, sheet.stages.length),
    };
  }

  #traceOf(pass: TracedPass, isGiven: boolean): Trace {
    const { model, targetTokenizer } = this.#translator;
    return new Trace(model.config, pass, {
      labelOf: (id) => targetTokenizer.label(id),
      opensWith: opensWith(this.#translator),
      isGiven,
    });
  }
}

function viewIn<View extends object>({ view, isNew }: Pick<Asked, "view" | "isNew">, usual: View): View {
  if (!view) return usual;
  return isNew ? views.carried(view as View, usual) : (view as View);
}

interface SearchOf {
  readonly tree: SearchTree;
  readonly packed: Uint8Array<ArrayBuffer>;
}

// The head that the card names, or the first of the last layer.
export function opensWith({ card, model }: Translator): HeadRef {
  const [layer, head] = (card.opens_with as [number, number] | undefined) ?? [model.config.n_decoder_layers - 1, 0];
  return ["cross", layer, head];
}

// The interventions for one pass over a whole output that a search has written under `interventions`: in the search, a
// step cannot attend to later tokens, whatever its mask, because they do not exist yet.
function asGenerated(interventions: readonly Intervention[]): Intervention[] {
  return interventions.map((one) =>
    one.kind === "ChangeMask" ? { ...one, modules: one.modules.filter((module) => module !== "decoder_self") } : one,
  );
}
