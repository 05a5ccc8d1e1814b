// Leaving a page by the navigation: the link of the next page says at once what comes along from this one.
//
// Streamlit's own links name a page and nothing else. The server could add the rest, but may not know it yet: somebody
// types a text and clicks at once.

import { addressOf, go, openAddress } from "./go.ts";
import { afterRun, isConnected, whenConnected } from "./streamlit.ts";

const LINKS = ["stTopNavLink", "stTopNavDropdownLink", "stSidebarNavLink"]; // the last in the drawer of a phone
const CLOSES = '[data-testid="stTopNavSection"][aria-expanded="true"], [data-testid="stSidebarCollapseButton"] button';
// Which model reads which texts, and the head that is shown; as in views/linked.py. Pages that have no use for them
// pass them on in their links, too.
const TRAVELS = ["model", "source", "target", "module", "layer", "head"];
export const PATIENCE = 1000; // milliseconds to wait for a run that writes the link

export const LEAVES = "viz:leaves"; // an event of the document, at which panels write what the address does not say yet

export interface Leaving {
  waits: boolean; // for a run that writes the link
}

// Kept here across the home page, whose link has none of it: a link with it was Overview's once, and leads there.
let carried: readonly [string, string][] = [];

// Called once, before Streamlit listens to clicks.
export function watchNavigation(): void {
  for (const click of ["click", "auxclick"]) document.addEventListener(click, leave, true);
  addEventListener("popstate", () => {
    if (!isConnected()) whenConnected(openAddress); // Streamlit tries only once
  });
}

function leave(event: Event): void {
  const { target, type, ctrlKey, metaKey, shiftKey } = event as MouseEvent;
  const link = target instanceof Element && target.closest<HTMLAnchorElement>(LINKS.map(inPage).join());
  if (!link) return;
  const told: Leaving = { waits: false };
  document.dispatchEvent(new CustomEvent(LEAVES, { detail: told }));
  event.stopPropagation(); // Streamlit would open it here, whatever key is held
  if (type === "auxclick" || ctrlKey || metaKey || shiftKey) {
    link.href = pageAddress(link.href); // which the browser opens elsewhere
    return;
  }
  event.preventDefault();
  const open = (): void => {
    document.querySelector<HTMLElement>(CLOSES)?.click(); // the menu or the drawer that it stands in
    go(pageAddress(link.href));
  };
  if (told.waits) afterRun(open, PATIENCE);
  else open();
}

function inPage(testId: string): string {
  return `[data-testid="${testId}"]`;
}

// The address of a page that is opened from this one.
export function pageAddress(page: string, from: string = location.href): string {
  const here = new URL(from);
  const to = new URL(addressOf(new URL(page, from).pathname, from));
  if (!isHome(here)) {
    carried = TRAVELS.flatMap((name) => here.searchParams.getAll(name).map((value): [string, string] => [name, value]));
  }
  if (!isHome(to)) for (const [name, value] of carried) to.searchParams.set(name, value);
  return to.href;
}

function isHome({ pathname }: URL): boolean {
  return pathname.endsWith("/");
}
