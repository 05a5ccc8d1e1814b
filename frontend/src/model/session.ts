// Answers a page's requests, one model at a time: what the worker does, without knowing of a worker.

import type { AskedFiles, Reply, Request } from "./protocol.ts";
import { beamSearch, bestOf, type DecodingStep, GREEDY, type SearchOptions } from "./search.ts";
import { SentenceError } from "./sentences.ts";
import type { EncodedText } from "./tokenizer.ts";
import { Translator } from "./translator.ts";

interface Numbered {
  readonly id: number;
}
export type Send<Told extends Numbered = Reply> = (reply: Told, transfer: Transferable[]) => void;
export type Tell<Told extends Numbered = Reply> = (answer: WithoutId<Told>, transfer?: Transferable[]) => void;
type WithoutId<One> = One extends Numbered ? Omit<One, "id"> : never;

// A newer request has come.
class Cancelled extends Error {}

// `MoreAsked`, `MoreTold`: requests and replies of a class derived from it.
export class Session<MoreAsked extends Numbered = never, MoreTold extends Numbered = never> {
  readonly #send: Send<Reply | MoreTold>;
  #translator: Promise<Translator> | null = null;
  #newest = 0; // id of the request that came last

  constructor(send: Send<Reply | MoreTold>) {
    this.#send = send;
  }

  // Returns when the request is answered.
  async receive(request: Request | MoreAsked): Promise<void> {
    this.#newest = request.id;
    const tell: Tell<Reply | MoreTold> = (answer, transfer = []) =>
      this.#send({ ...answer, id: request.id } as Reply | MoreTold, transfer);
    try {
      await this.answer(request, tell);
    } catch (error) {
      if (error instanceof Cancelled) tell({ kind: "cancelled" });
      else if (error instanceof SentenceError) {
        const { message, template, values } = error;
        tell({ kind: "refused", message, template, values });
      } else tell({ kind: "failed", message: String(error) });
    }
  }

  protected async answer(request: Request | MoreAsked, tell: Tell<Reply | MoreTold>): Promise<void> {
    const asked = request as Request;
    if (asked.kind === "load") await this.load(asked.files, tell);
    else if (asked.kind === "translate") await this.#translate(asked, tell);
    else await this.#pass(asked, tell);
  }

  protected async load({ weights, ...files }: AskedFiles, tell: Tell): Promise<void> {
    const progress = (part: "fetched" | "read") => (done: number) => tell({ kind: "progress", part, done });
    const loading = async () => {
      const bytes = typeof weights === "string" ? await fetched(weights, progress("fetched")) : weights;
      return new Translator({ ...files, weights: bytes }, { progress: progress("read") });
    };
    this.#translator = loading();
    await this.#translator;
    tell({ kind: "loaded" });
  }

  async #translate({ id, text, options }: Request & { kind: "translate" }, tell: Tell): Promise<void> {
    const translator = await this.loaded(id);
    const source = translator.encodeSource(text);
    const ids = await this.search(id, translator, source, options, tell);
    tell({ kind: "translated", source, text: translator.targetTokenizer.decode(ids) });
  }

  async #pass({ id, text, target, interventions }: Request & { kind: "pass" }, tell: Tell): Promise<void> {
    const translator = await this.loaded(id);
    const source = translator.encodeSource(text);
    const given = target === null ? null : translator.endedTarget(target);
    const ids = given?.ids ?? (await this.search(id, translator, source, { ...GREEDY, interventions }, tell));
    const { points, ...pass } = translator.pass(source, ids, interventions, given?.tokens);
    // What a point shows is often what the next one reads: one buffer travels once.
    const buffers = new Set([...points.values(), pass.logProbs].map(({ values }) => values.buffer as ArrayBuffer));
    tell(
      {
        ...pass,
        kind: "passed",
        source,
        points: Object.fromEntries(points),
        text: translator.targetTokenizer.decode(ids),
      },
      [...buffers],
    );
  }

  // Tells and keeps every step; returns the best output.
  protected async search(
    id: number,
    translator: Translator,
    source: EncodedText,
    options: Partial<SearchOptions>,
    tell: Tell,
    keep: (step: Omit<DecodingStep, "logProbs">) => void = () => {},
  ): Promise<readonly number[]> {
    let best: readonly number[] = [];
    for (const one of beamSearch(translator.model, translator.endedIds(source), options)) {
      const { logProbs: _all, ...step } = one;
      best = bestOf(one).ids;
      keep(step);
      tell({ kind: "step", step, text: translator.targetTokenizer.decode(best) });
      await nextTurn();
      this.#goOn(id);
    }
    return best;
  }

  protected async loaded(id: number): Promise<Translator> {
    if (!this.#translator) throw new SentenceError("No model has been loaded yet.");
    const translator = await this.#translator;
    this.#goOn(id);
    return translator;
  }

  #goOn(id: number): void {
    if (id !== this.#newest) throw new Cancelled();
  }
}

// Lets messages in that came meanwhile. (A timer would wait for four milliseconds.)
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

async function fetched(url: string, progress: (done: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url);
  if (!response.ok || !response.body) {
    throw new SentenceError("The weights cannot be read: the server answers {status}.", { status: response.status });
  }
  const length = Number(response.headers.get("Content-Length")); // 0 where nobody says
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let read = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    read += chunk.length;
    if (length) progress(Math.min(1, read / length));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
