// Opens another link of the app without a reload: Streamlit is made to believe that Back has led there, and runs it.

import { element } from "./dom.ts";
import { isRunning } from "./streamlit.ts";

export const KEPT = ["lang", "embed", "embed_options", "hide", "room"]; // what stays in the link from page to page
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

// The address of a lecture, which is given by its name or packed: its path, or what `more` asks for.
export function lectureAddress(lecture: string, more: Readonly<Record<string, string>> = {}): string {
  return addressOf(`?${new URLSearchParams({ lecture, ...more })}`);
}

// `replaces`: it takes the place of this address in the history, so that Back skips this one.
export function go(address: string, replaces = address === location.href): void {
  const to = inLanguageOf(address);
  if (replaces) history.replaceState({ step: "same" }, "", to);
  else history.pushState({ step: "new" }, "", to);
  openAddress();
}

// Makes Streamlit run the address that the browser has now, as after Back.
export function openAddress(): void {
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
}

// A run that is under way may be the answer to a choice of language that this page's link does not say yet. A link with
// the old language would undo that choice, so it leaves the language to the server.
function inLanguageOf(address: string): string {
  const url = new URL(address);
  const here = new URL(location.href).searchParams.get("lang");
  if (isRunning() && url.searchParams.get("lang") === here) url.searchParams.set("lang", "");
  return url.href;
}

// Opens a link after a plain click; with a modifier key the browser opens it elsewhere.
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
