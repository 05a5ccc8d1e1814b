// The page of a live file: a text is typed, and the views show what the model computes of it, here.

import { Choice } from "../kit/choice.ts";
import { element, fillText, setChildren } from "../kit/dom.ts";
import type { Alone } from "../kit/standalone.ts";
import { ATTENTION_MODULES, type AttentionModule } from "../model/heads.ts";
import type { Reply, Request } from "../model/protocol.ts";
import { archiveIn } from "./archive.ts";
import { KINDS, type Kind } from "./contents.ts";
import { MountedView, type Said } from "./mounted.ts";
import type { LiveReply, LiveRequest } from "./protocol.ts";
import type { Front, Texts } from "./texts.ts";

type Ask = (asked: Request | LiveRequest) => void;
type Told = Reply | LiveReply;
interface Typed {
  readonly text: string;
  readonly target: string | null;
}

// What is on the screen.
interface At {
  readonly kind: Kind;
  readonly module: AttentionModule; // of the steps
  readonly layer: number; // of the steps
}

const ABOVE = 104; // pixels above a view on a page of the app, for which the views measure their pictures
const KEPT = 400; // characters of an earlier text in a sentence about it

export class LivePage {
  readonly #front: Front;
  readonly #alone: Alone;
  readonly #source = element("textarea", { testId: "live-source", rows: 1, spellcheck: false });
  readonly #target = element("textarea", { testId: "live-target", rows: 1, spellcheck: false });
  readonly #sourceName = element("span");
  readonly #targetName = element("span");
  readonly #output = element("output", { testId: "live-output" });
  readonly #state = element("p", { className: "state", role: "status", testId: "live-state" });
  readonly #refusal = element("p", { className: "refusal", role: "alert", testId: "live-refusal" });
  readonly #earlier = element("p", { className: "earlier", testId: "live-earlier" });
  readonly #view = element("div", { className: "view", testId: "live-view" });
  readonly #kinds = new Choice("live", "kind", (place) => this.#turnTo({ kind: KINDS[place] }));
  readonly #modules = new Choice("live", "module", (place) => this.#turnTo({ module: ATTENTION_MODULES[place] }));
  readonly #layers = new Choice("live", "layer", (layer) => this.#turnTo({ layer }));
  readonly #languages = new Choice("live", "language", (place) => {
    this.#language = Object.keys(this.#front.texts)[place];
    this.#say();
    this.#ask(this.#asked);
  });
  readonly #places = element("div", { className: "choices" }, this.#modules.element, this.#layers.element);
  readonly #facts = element("dl");
  readonly #views = new Map<Kind, object>(); // as a person left them, or as they opened
  readonly #ofText = new Map<Kind, Typed>(); // that those views are of
  #send: Ask = () => {};
  #at: At;
  #shownAt: At | null = null;
  #language: string;
  #mounted: MountedView | null = null;
  #newest = 0; // id of the request that was sent last
  #asked: Typed; // by it; or else, once that was refused, what is shown
  #good: Typed; // what the model could read, and is shown
  #isReady = false;
  #refused: Told | null = null;
  #doing = "unpacking"; // the label of what goes on

  constructor(front: Front, alone: Alone, place: HTMLElement) {
    this.#front = front;
    this.#alone = alone;
    this.#language = front.language;
    this.#at = { kind: front.opens, module: "cross", layer: 0 };
    this.#asked = this.#good = { text: front.source, target: front.target };
    this.#source.value = front.source;
    this.#target.value = front.target ?? "";
    for (const field of [this.#source, this.#target]) {
      field.oninput = (event) => {
        if (!(event as InputEvent).isComposing) this.#ask(this.#typed); // else letters of a syllable that is being typed
      };
      field.addEventListener("compositionend", () => this.#ask(this.#typed));
    }
    place.replaceChildren(
      element(
        "div",
        { className: "typed" },
        element("label", {}, this.#sourceName, this.#source),
        element("label", {}, this.#targetName, this.#target),
      ),
      element("p", { className: "written", ariaLive: "polite" }, "→ ", this.#output),
      this.#refusal,
      element("div", { className: "bar" }, this.#kinds.element, this.#state),
      this.#places,
      this.#earlier,
      this.#view,
    );
    const footer = document.querySelector("footer");
    footer?.replaceChildren(this.#facts, this.#languages.element);
    this.#say();
    addEventListener("resize", () => this.#makeRoom());
  }

  // The model's archive is opened; then the first text is computed.
  start(ask: Ask): void {
    this.#send = ask;
    ask({ id: ++this.#newest, kind: "open", archive: archiveIn("model") });
  }

  hear(reply: Told): void {
    if (reply.id !== this.#newest) return;
    if (reply.kind === "unpacked") this.#tell("reading", { percent: 0 });
    else if (reply.kind === "progress") this.#tell("reading", { percent: Math.round(100 * reply.done) });
    else if (reply.kind === "loaded") {
      this.#isReady = true;
      this.#ask(this.#typed);
    } else if (reply.kind === "step") this.#output.textContent = reply.text;
    else if (reply.kind === "shown") this.#show(reply);
    else if (reply.kind === "refused" || reply.kind === "failed") {
      this.#refused = reply;
      this.#asked = this.#good;
      this.#sayRefusal();
      if (this.#mounted && this.#shownAt !== this.#at) this.#ask(this.#asked); // in the view that was chosen meanwhile
    }
  }

  get #texts(): Texts {
    return this.#front.texts[this.#language];
  }

  get #typed(): Typed {
    return { text: this.#source.value, target: this.#target.value || null };
  }

  #turnTo(part: Partial<At>): void {
    this.#at = { ...this.#at, ...part };
    if (part.kind === undefined) this.#ofText.delete("steps"); // another layer's cells are others
    this.#choose();
    this.#ask(this.#asked);
  }

  #ask(typed: Typed): void {
    if (!this.#isReady) return;
    this.#asked = typed;
    const { kind, module, layer } = this.#at;
    const { text, target } = typed;
    this.#tell("computing");
    this.#send({
      id: ++this.#newest,
      kind: "show",
      what: kind,
      text,
      target,
      interventions: this.#front.interventions,
      view: this.#views.get(kind) ?? null,
      isNew: !isSame(this.#ofText.get(kind), typed),
      module,
      layer,
      labels: this.#texts.contents,
    });
  }

  #show({ content, view, text }: LiveReply & { kind: "shown" }): void {
    const { kind } = this.#at;
    const said = this.#said;
    this.#shownAt = this.#at;
    this.#good = this.#asked;
    if (isSame(this.#good, this.#typed)) this.#refused = null;
    this.#output.textContent = text;
    this.#views.set(kind, view);
    this.#ofText.set(kind, this.#good);
    this.#makeRoom();
    if (this.#mounted?.panel === said.panel) this.#mounted.show(said, content, view);
    else {
      this.#mounted?.remove();
      this.#mounted = new MountedView(this.#alone, this.#view, said, content, view, (settled) => this.#settle(settled));
    }
    this.#tell("computed");
    this.#sayRefusal();
  }

  // What stands above the view here and not in the app is taken off the window.
  #makeRoom(): void {
    if (document.fullscreenElement) return;
    const more = this.#view.getBoundingClientRect().top + scrollY - ABOVE;
    document.documentElement.style.setProperty("--vt-window", `${innerHeight - Math.max(0, more)}px`);
  }

  // What a person chose in the view. In the tree, another hypothesis has another pass.
  #settle(view: object): void {
    const { kind } = this.#at;
    const before = this.#views.get(kind);
    this.#views.set(kind, view);
    const nodeOf = (one: object | undefined) => String(one && "node" in one ? one.node : "");
    if (nodeOf(before) !== nodeOf(view)) this.#ask(this.#asked);
  }

  get #said(): Said {
    const { views, tag, terms } = this.#texts;
    const { kind } = this.#at;
    const isGiven = kind === "overview" && this.#asked.target !== null;
    return { ...views[isGiven ? "overview_given" : kind], language: tag, terms };
  }

  #tell(doing: string, values: Readonly<Record<string, unknown>> = {}): void {
    this.#doing = doing;
    this.#state.textContent = fillText(this.#texts.page[doing], values);
    this.#view.classList.toggle("waits", doing !== "computed");
  }

  // Why there is no picture of the text in the field, and of which text it is instead.
  #sayRefusal(): void {
    const { page, sentences, words } = this.#texts;
    const refused = this.#refused;
    let said = "";
    if (refused?.kind === "refused") {
      const values = Object.entries(refused.values).map(([name, value]) => [name, words[String(value)] ?? value]);
      said = fillText(sentences[refused.template] ?? refused.template, Object.fromEntries(values));
    } else if (refused?.kind === "failed") said = fillText(page.failed, { reason: refused.message });
    this.#refusal.textContent = said;
    const isEarlier = Boolean(said && this.#mounted);
    const earlier = [this.#good.text, this.#good.target].filter(Boolean).join(" → ");
    this.#earlier.textContent = isEarlier ? fillText(page.earlier, { text: shortened(earlier) }) : "";
    this.#view.classList.toggle("earlier-text", isEarlier);
    if (said) this.#tell(isEarlier ? "computed" : "stopped");
    if (said) this.#output.textContent = "";
  }

  // All texts of the page, in its language.
  #say(): void {
    const { page, title, tag, facts, views } = this.#texts;
    document.documentElement.lang = tag;
    document.title = title;
    const heading = document.querySelector("h1");
    if (heading) heading.textContent = title;
    this.#sourceName.textContent = page.source;
    this.#targetName.textContent = page.target;
    this.#target.placeholder = page.target_hint;
    this.#kinds.setLabels(page.view, "");
    const { labels } = views.overview;
    this.#modules.setLabels(page.module, "");
    this.#layers.setLabels(labels.layer, "");
    this.#languages.setLabels(page.language, "");
    const said = facts.map(([name, text]) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: text })),
    );
    setChildren(this.#facts, said);
    this.#choose();
    this.#tell(this.#doing, { percent: 0 });
    this.#sayRefusal();
  }

  #choose(): void {
    const { page, views } = this.#texts;
    const { kind, module } = this.#at;
    const count = this.#front.layers[module];
    this.#at = { ...this.#at, layer: Math.min(this.#at.layer, count - 1) };
    this.#kinds.update(
      KINDS.map((one) => page[one]),
      KINDS.indexOf(kind),
    );
    this.#modules.update(
      ATTENTION_MODULES.map((one) => views.overview.labels[one]),
      ATTENTION_MODULES.indexOf(module),
    );
    this.#layers.update(
      Array.from({ length: count }, (_, n) => String(n + 1)),
      this.#at.layer,
    );
    this.#languages.update(
      Object.values(this.#front.texts).map(({ name }) => name),
      Object.keys(this.#front.texts).indexOf(this.#language),
    );
    this.#places.hidden = kind !== "steps";
  }
}

function isSame(one: Typed | undefined, other: Typed): boolean {
  return one?.text === other.text && one.target === other.target;
}

function shortened(text: string): string {
  const signs = [...text];
  return signs.length > KEPT ? `${signs.slice(0, KEPT).join("")}…` : text;
}
