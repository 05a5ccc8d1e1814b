// Opens another link of the app without loading it anew: as Back does, so the page that it names is run with what it says.

export const KEPT = ["lang", "present", "embed", "embed_options", "hide"]; // what stays in the link from page to page

// `href`: a page and its parameters, "attention?stage=scores"; "" is the home page.
// -> the whole address, with what stays
export function addressOf(href: string, from: string = location.href): string {
  const here = new URL(from);
  const url = new URL(href || ".", new URL(".", here));
  for (const name of KEPT) {
    const value = here.searchParams.get(name);
    if (value !== null && !url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  return url.href;
}

export function go(address: string): void {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
}
