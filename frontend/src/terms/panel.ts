// Explains the term that is pointed at, focused or tapped. Terms are links in Streamlit's Markdown, `#term-<slug>`, so that
// the Tab key finds them; the explanation stands outside of the component, where such a link can name it.

import type { Panel } from "../kit/component.ts";
import { element, type Labels } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { say } from "../kit/said.ts";
import { sayForStreamlit } from "../kit/streamlit.ts";
import { hearPointed, lightTerms, type Pointed } from "../kit/term_highlight.ts";
import { placeBeside } from "./place.ts";

export interface PageTexts {
  readonly terms: Readonly<Record<string, { readonly title: string; readonly said: string }>>;
  readonly texts: Readonly<Record<string, Labels>>; // of all components, by name
  readonly streamlit: Labels; // what stands in the place of Streamlit's own words
}

const PREFIX = "#term-";
const NAME = "vt-term";
// Milliseconds: a pointer on its way across a text opens nothing, one on its way to the explanation closes nothing.
const REST = 120;
const WAY = 250;

export class TermsPanel implements Panel<PageTexts> {
  readonly #theme = element("span", { hidden: true }); // knows Streamlit's colours
  readonly #tip = element("div", { className: NAME, id: NAME, role: "tooltip", hidden: true });
  readonly #hearing = new AbortController();
  readonly #watch = new MutationObserver(() => this.#place()); // a run may take the link away
  readonly #stops: readonly (() => void)[];
  #terms: PageTexts["terms"] = {};
  #stopSaying = () => {};
  #link: Element | null = null; // that is explained
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parent: HTMLElement) {
    parent.append(this.#theme);
    document.body.append(this.#tip);
    this.#stops = [lightTerms(document.body), hearPointed((pointed) => this.#onPointed(pointed))];
    const { signal } = this.#hearing;
    const first = { signal, capture: true }; // before anybody else hears of it
    document.addEventListener("pointerover", this.#onPointer, first);
    document.addEventListener("pointerdown", ({ target }) => this.#isOwn(target) || this.#hide(), first);
    document.addEventListener("focusin", (event) => this.#explain(termAt(event)), first);
    document.addEventListener("focusout", this.#onBlur, first);
    document.addEventListener("click", this.#onClick, first);
    document.addEventListener("keydown", this.#onKey, first);
    document.addEventListener("scroll", () => this.#place(), { ...first, passive: true });
    window.addEventListener("resize", () => this.#place(), { signal });
  }

  show({ terms, texts, streamlit }: PageTexts): void {
    this.#terms = terms;
    say(texts);
    this.#stopSaying();
    this.#stopSaying = sayForStreamlit(streamlit);
  }

  remove(): void {
    this.#hide();
    this.#stopSaying();
    this.#hearing.abort();
    for (const stop of this.#stops) stop();
    this.#tip.remove();
  }

  readonly #onPointer = (event: PointerEvent): void => {
    if (event.pointerType === "touch") return; // a finger taps instead
    this.#pointTo(termAt(event), this.#isOwn(event.target));
  };

  // Events inside of a component do not name their target to the page; the component tells of the term itself.
  #onPointed({ link }: Pointed): void {
    if (link ? link.getRootNode() !== document : this.#link?.getRootNode() instanceof ShadowRoot) this.#pointTo(link);
  }

  #pointTo(link: Element | null, isOwn = false): void {
    clearTimeout(this.#timer);
    if (link) this.#timer = setTimeout(() => this.#explain(link), REST);
    else if (!isOwn && this.#link !== document.activeElement) this.#timer = setTimeout(() => this.#hide(), WAY);
  }

  // The link is not followed: its term is explained, and the address, which holds the view, stays.
  readonly #onClick = (event: Event): void => {
    const link = termAt(event);
    if (!link) return;
    event.preventDefault();
    this.#explain(link);
  };

  // Only of its own link: a button that a run takes away loses the focus, too, and nobody pointed elsewhere.
  readonly #onBlur = (event: Event): void => {
    if (this.#link && termAt(event) === this.#link && !this.#tip.matches(":hover")) this.#hide();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.#link) return;
    event.preventDefault();
    event.stopPropagation(); // what lies below stays open
    this.#hide();
  };

  #explain(link: Element | null): void {
    const slug = link?.getAttribute("href")?.slice(PREFIX.length) ?? "";
    if (!link || !Object.hasOwn(this.#terms, slug)) return;
    const { title, said } = this.#terms[slug];
    this.#hide();
    this.#link = link;
    link.setAttribute("aria-describedby", NAME);
    const { text, background, font } = lookOf(this.#theme);
    Object.assign(this.#tip.style, { color: text, background, fontFamily: font });
    this.#tip.replaceChildren(element("b", { textContent: title }), said);
    this.#tip.hidden = false;
    this.#place();
    this.#watch.observe(document.body, { childList: true, subtree: true });
  }

  #hide(): void {
    clearTimeout(this.#timer);
    this.#watch.disconnect();
    this.#tip.hidden = true;
    this.#link?.removeAttribute("aria-describedby");
    this.#link = null;
  }

  #place(): void {
    if (!this.#link) return;
    const term = this.#link.getClientRects()[0]; // where it begins; none once it is gone
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    if (!term || term.bottom < 0 || term.top > height) {
      this.#hide();
      return;
    }
    const { left, top } = placeBeside(term, this.#tip.getBoundingClientRect(), { width, height });
    Object.assign(this.#tip.style, { left: `${left}px`, top: `${top}px` });
  }

  #isOwn(target: EventTarget | null): boolean {
    return target instanceof Node && (this.#tip.contains(target) || (this.#link?.contains(target) ?? false));
  }
}

// The term's link at an event, also inside a component.
function termAt(event: Event): Element | null {
  const [target] = event.composedPath();
  return target instanceof Element ? target.closest(`a[href^="${PREFIX}"]`) : null;
}
