// The address of a view as a room says it: the page and its parameters, without what is each browser's own.

const OWN = ["room", "present", "notes", "embed", "embed_options", "hide"];
const SUBJECT = ["lang", "model", "source", "target", "lecture", "scene"]; // when one changes, the page has to run

// `language`: of the page, which its link need not say.
export function said(href: string, base: string, language: string): string {
  const url = new URL(href);
  for (const name of OWN) url.searchParams.delete(name);
  if (!url.searchParams.get("lang")) url.searchParams.set("lang", language);
  url.searchParams.sort();
  const page = url.pathname.slice(new URL(base).pathname.length).replace(/\/+$/, "");
  return `${page}?${url.searchParams}`;
}

// Whether an address is of another page, model or text than the one before: only a run can show that. A page that is
// opened without a model writes its default into the link, in every browser: that is no change.
export function isElsewhere(now: string, before: string): boolean {
  const [[page, query], [pageBefore, queryBefore]] = [now.split("?"), before.split("?")];
  const [parameters, known] = [new URLSearchParams(query), new URLSearchParams(queryBefore)];
  if (page === pageBefore && !known.has("model")) parameters.delete("model");
  return page !== pageBefore || SUBJECT.some((name) => parameters.get(name) !== known.get(name));
}
