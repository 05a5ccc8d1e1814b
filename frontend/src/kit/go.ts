// Opens another link of the app without loading it anew: as Back does, so the page that it names is run with what it says.

import { element } from "./dom.ts";
import { isRunning } from "./streamlit.ts";

const KEPT = ["lang", "embed", "embed_options", "hide", "room"]; // what stays in the link from page to page
const KEPT_IN_SCENES = [...KEPT, "present"]; // and from scene to scene

// `href`: a page and its parameters, "attention?stage=scores"; "" is the home page.
// -> the whole address, with what stays
export function addressOf(href: string, from: string = location.href): string {
  const here = new URL(from);
  const url = new URL(href || ".", new URL(".", here));
  for (const name of url.searchParams.has("scene") ? KEPT_IN_SCENES : KEPT) {
    const value = here.searchParams.get(name);
    if (value !== null && !url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  return url.href;
}

// A lecture by its name, or packed: its path, or what `more` asks for.
export function lectureAddress(lecture: string, more: Readonly<Record<string, string>> = {}): string {
  return addressOf(`?${new URLSearchParams({ lecture, ...more })}`);
}

// `replaces`: it is no step that Back takes back.
export function go(address: string, replaces = address === location.href): void {
  const to = inLanguageOf(address);
  if (replaces) history.replaceState({ step: "same" }, "", to);
  else history.pushState({ step: "new" }, "", to);
  openAddress();
}

// As Back does, once the address is another.
export function openAddress(): void {
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
}

// While an answer is on its way, it may be to the choice of another language, which this page's link does not say yet and a
// copy of it would undo: then the server says which it is.
function inLanguageOf(address: string): string {
  const url = new URL(address);
  const here = new URL(location.href).searchParams.get("lang");
  if (isRunning() && url.searchParams.get("lang") === here) url.searchParams.set("lang", "");
  return url.href;
}

// A link that is clicked as people click; with a key held down the browser opens it elsewhere.
export function follow(event: MouseEvent): void {
  const link = event.currentTarget;
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  go(link.href);
}

export function link(address: string, className: string, textContent = ""): HTMLAnchorElement {
  const node = element("a", { className, textContent });
  node.href = address;
  node.onclick = follow;
  return node;
}
