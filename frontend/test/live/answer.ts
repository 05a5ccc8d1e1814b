// Answers what tests/live/test_contents.py asks: node answer.ts <folder> reads asked.json there, and writes each content
// as <number>-<kind>.safetensors and the views as views.json.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Labels } from "../../src/kit/dom.ts";
import { Contents, KINDS, type Kind } from "../../src/live/contents.ts";
import type { AttentionModule } from "../../src/model/heads.ts";
import type { Intervention } from "../../src/model/interventions.ts";
import { DEFAULT_BEAM } from "../../src/model/ranking.ts";
import { beamSearch, bestOf, GREEDY, type SearchOptions } from "../../src/model/search.ts";
import { Translator } from "../../src/model/translator.ts";
import { filesOf } from "../model/files.ts";

interface Asked {
  readonly model: string;
  readonly labels: Labels;
  readonly questions: readonly {
    readonly text: string;
    readonly target: string | null;
    readonly interventions: readonly Intervention[];
    readonly options: Partial<SearchOptions>;
    readonly module: AttentionModule;
    readonly layer: number;
    readonly views: Readonly<Record<Kind, object | null>>; // that are fitted
  }[];
}

const folder = process.argv[2];
const { model, labels, questions }: Asked = JSON.parse(readFileSync(join(folder, "asked.json"), "utf8"));
const translator = new Translator(filesOf(model));
const found = questions.map(({ text, target, interventions, options, module, layer, views }, n) => {
  const source = translator.encodeSource(text);
  const search = (changes: Partial<SearchOptions>) => [
    ...beamSearch(translator.model, translator.endedIds(source), { ...changes, interventions }),
  ];
  const greedy = () => bestOf(search(GREEDY).at(-1)!).ids;
  const given = target === null ? null : translator.endedTarget(target);
  const pass = translator.pass(source, given?.ids ?? greedy(), interventions, given?.tokens);
  const contents = new Contents(translator, source, pass, interventions, target !== null);
  const shownOf = (kind: Kind, view: object | null) => {
    if (kind !== "tree") return contents.shown(kind, { view, module, layer, labels });
    return contents.tree(contents.search({ ...DEFAULT_BEAM, ...options }, search(options), greedy), { view });
  };
  return KINDS.map((kind) => {
    const usual = shownOf(kind, null);
    writeFileSync(join(folder, `${n}-${kind}.safetensors`), usual.content);
    return [usual.view, views[kind] && shownOf(kind, views[kind]).view];
  });
});
writeFileSync(join(folder, "views.json"), JSON.stringify(found));
