// Text and picture point at each other: where one points at a term in the text, the parts of the pictures that show it
// light up, and the other way round. A text names a term (a marked one, or `data-names`); a part shows some
// (`data-term="query key"`). No selector reaches into components, so each of them and the page is told. While nothing
// is pointed at, the parts light up that a scene of a lecture is about.

import { type Child, element } from "./dom.ts";
import { Hearers } from "./hearers.ts";

export interface Pointed {
  readonly link: Element | null; // the term in the text
  readonly slugs: string; // with spaces between them
  readonly isPart: boolean; // of a picture, and not of a text
}

const LINK = "#term-";
const LIT = "vt-lit";
const TEXTS = `a[href^="${LINK}"], [data-names]`;
const PARTS = "[data-term]";
const BOTH = `${TEXTS}, ${PARTS}`;
const NOTHING: Pointed = { link: null, slugs: "", isPart: false };
const pointed = new Hearers<[Pointed]>();
export let ofScene = ""; // the terms that the scene on the screen is about, with spaces between them

export const hearPointed = pointed.hear;

// Tells what is pointed at or focused in `root`, and lights what is in it -> what ends both.
export function lightTerms(root: HTMLElement): () => void {
  const hearing = new AbortController();
  const { signal } = hearing;
  let [shown, scene] = [NOTHING, ""]; // as lit

  // Events inside a component of the page are left to that component, which hears them itself.
  const isOwn = (event: Event) => event.composedPath()[0] === event.target;
  const point = (event: Event) => {
    if (isOwn(event)) pointed.tell(pointedAt(event.target) ?? pointedAt(document.activeElement, TEXTS) ?? NOTHING);
  };
  const leave = (event: Event) => {
    const { relatedTarget } = event as PointerEvent | FocusEvent;
    const isInside = relatedTarget instanceof Node && root.contains(relatedTarget);
    if (isOwn(event) && !isInside) pointed.tell(pointedAt(document.activeElement, TEXTS) ?? NOTHING);
  };
  const paint = () => {
    const { slugs, isPart } = shown.slugs ? shown : { slugs: scene, isPart: false };
    const wanted = slugs.split(" ").filter(Boolean);
    for (const node of root.querySelectorAll(BOTH)) {
      const isOther = node.matches(PARTS) !== isPart;
      const named = slugsOf(node);
      node.classList.toggle(LIT, isOther && wanted.some((slug) => named.includes(slug)));
    }
  };
  let watch: MutationObserver | undefined; // as long as anything is lit: what is drawn anew lights up, too
  const isLit = () => shown.slugs !== "" || scene !== "";
  const light = (now: Pointed) => {
    const isSame = now.slugs === shown.slugs && now.isPart === shown.isPart;
    if (isSame && scene === ofScene) return;
    const wasLit = isLit();
    [shown, scene] = [now, ofScene];
    if (!isLit()) watch?.disconnect();
    else if (!wasLit && root !== document.body) {
      watch ??= new MutationObserver(paint);
      watch.observe(root, { childList: true, subtree: true });
    }
    paint();
  };

  for (const type of ["pointerover", "focusin"]) root.addEventListener(type, point, { signal });
  for (const type of ["pointerout", "focusout"]) root.addEventListener(type, leave, { signal });
  const stop = pointed.hear(light);
  light(pointedAt(document.activeElement, TEXTS) ?? NOTHING); // it may have been focused before
  return () => {
    hearing.abort();
    stop();
    watch?.disconnect();
  };
}

// Lights up what a scene is about, as long as it is shown; [] ends that.
export function lightScene(slugs: readonly string[]): void {
  if (slugs.join(" ") === ofScene) return;
  ofScene = slugs.join(" ");
  pointed.tell(NOTHING);
}

// Fills a node with a text in which terms are marked as Markdown links; no other Markdown is known. The Tab key stops
// only at the first of them, and the arrow keys go on from there, so that terms do not lengthen the way through the
// page.
export function fillWithTerms(node: HTMLElement, text: string): void {
  node.replaceChildren(...withTerms(text));
  const links = [...node.querySelectorAll("a")];
  links.forEach((link, n) => {
    link.tabIndex = n ? -1 : 0;
    link.onkeydown = (event) => {
      const next = links[n + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN)];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      next.focus();
    };
  });
}

export function withTerms(text: string): Child[] {
  return text.split(/(\[[^\]]*\]\(#term-[\w-]+\))/).map((part, n) => {
    const [, textContent, href] = (n % 2 && /^\[(.*)\]\((.*)\)$/.exec(part)) || [];
    return href ? element("a", { textContent, href }) : part;
  });
}

function pointedAt(target: EventTarget | null, what = BOTH): Pointed | undefined {
  const node = target instanceof Element ? target.closest(what) : null;
  if (!node) return undefined;
  return { link: node.closest("a"), slugs: slugsOf(node).join(" "), isPart: node.matches(PARTS) };
}

function slugsOf(node: Element): string[] {
  const named = node.getAttribute("data-term") ?? node.getAttribute("data-names");
  return named?.split(" ").filter(Boolean) ?? [node.getAttribute("href")?.slice(LINK.length) ?? ""];
}
