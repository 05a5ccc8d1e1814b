// The address of a view as a room says it: the page and its parameters, without what is each browser's own.

const OWN = ["room", "present", "notes", "embed", "embed_options", "hide"];
const SUBJECT = ["lang", "model", "source", "target", "lecture", "scene"]; // of another one the page is run

// `language`: of the page, which its link need not say.
export function said(href: string, base: string, language: string): string {
  const url = new URL(href);
  for (const name of OWN) url.searchParams.delete(name);
  if (!url.searchParams.get("lang")) url.searchParams.set("lang", language);
  url.searchParams.sort();
  const page = url.pathname.slice(new URL(base).pathname.length).replace(/\/+$/, "");
  return `${page}?${url.searchParams}`;
}

// Whether two addresses are of other pages, models or texts: only a run can show that.
export function isElsewhere(one: string, other: string): boolean {
  const [[page, query], [otherPage, otherQuery]] = [one.split("?"), other.split("?")];
  const [parameters, others] = [new URLSearchParams(query), new URLSearchParams(otherQuery)];
  return page !== otherPage || SUBJECT.some((name) => parameters.get(name) !== others.get(name));
}
