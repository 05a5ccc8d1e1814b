// Answers the page of a live file: what each view shows of the text that was typed. It computes a text once.

import type { Intervention } from "../model/interventions.ts";
import type { Reply, Request } from "../model/protocol.ts";
import { DEFAULT_BEAM } from "../model/ranking.ts";
import { beamSearch, bestOf, GREEDY } from "../model/search.ts";
import { Session, type Tell } from "../model/session.ts";
import type { EncodedText } from "../model/tokenizer.ts";
import type { Translator } from "../model/translator.ts";
import { opened } from "./archive.ts";
import { Contents, type Shown } from "./contents.ts";
import { filesOf, type SentFiles } from "./model_files.ts";
import type { LiveReply, LiveRequest } from "./protocol.ts";
import type { Step } from "./search_tree.ts";

type Show = LiveRequest & { kind: "show" };

// A text, what the model writes, and the search for more.
interface Read {
  readonly of: string; // text, target and interventions
  readonly source: EncodedText;
  readonly contents: Contents;
  search?: ReturnType<Contents["search"]>;
}

export class LiveSession extends Session<LiveRequest, LiveReply> {
  #read: Read | null = null; // what was asked for last

  protected override async answer(request: Request | LiveRequest, tell: Tell<Reply | LiveReply>): Promise<void> {
    if (request.kind === "open") {
      const files = filesOf(await opened<SentFiles>(request.archive));
      tell({ kind: "unpacked" });
      await this.load(files, tell);
    } else if (request.kind === "show") await this.#show(request, tell);
    else await super.answer(request, tell);
  }

  async #show(request: Show, tell: Tell<Reply | LiveReply>): Promise<void> {
    const { id, what, interventions } = request;
    const translator = await this.loaded(id);
    const read = await this.#readBy(translator, request, tell);
    let ids = read.contents.trace.pass.predictedIds;
    let shown: Shown;
    if (what === "tree") {
      read.search ??= await this.#searchOf(translator, read, id, interventions, tell);
      const { tree } = read.search;
      ids = tree.ids(tree.best);
      shown = read.contents.tree(read.search, request);
    } else shown = read.contents.shown(what, request);
    const text = translator.targetTokenizer.decode(ids);
    tell({ ...shown, kind: "shown", text, read: read.source.text }, [shown.content.buffer]);
  }

  async #readBy(translator: Translator, asked: Show, tell: Tell<Reply>): Promise<Read> {
    const { id, text, target, interventions } = asked;
    const of = JSON.stringify([text, target, interventions]);
    if (this.#read?.of === of) return this.#read;
    const source = translator.encodeSource(text);
    const given = target === null ? null : translator.endedTarget(target);
    const ids = given?.ids ?? (await this.search(id, translator, source, { ...GREEDY, interventions }, tell));
    const pass = translator.pass(source, ids, interventions, given?.tokens);
    const contents = new Contents(translator, source, pass, interventions, given !== null);
    this.#read = { of, source, contents };
    return this.#read;
  }

  async #searchOf(
    translator: Translator,
    { source, contents }: Read,
    id: number,
    interventions: readonly Intervention[],
    tell: Tell<Reply>,
  ): Promise<ReturnType<Contents["search"]>> {
    const steps: Step[] = [];
    await this.search(id, translator, source, { interventions }, tell, (step) => steps.push(step));
    const ids = translator.endedIds(source);
    return contents.search(DEFAULT_BEAM, steps, () => {
      const searched = [...beamSearch(translator.model, ids, { ...GREEDY, interventions })];
      return bestOf(searched[searched.length - 1]).ids;
    });
  }
}
