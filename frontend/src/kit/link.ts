// A view in the page's address, spelled as in views/linked.py: everything counts from 1.

export type Spelling = "index" | "cell" | "indices" | "number" | "text" | "flag";

export interface Parameter {
  readonly field: string; // of the view
  readonly name: string; // in the link
  readonly spelling: Spelling;
  readonly omit?: unknown; // the value that is left out of the link
}

export function keepInLink(view: object, parameters: readonly Parameter[]): void {
  const href = withView(location.href, view, parameters);
  if (href !== location.href) history.replaceState({ step: "same" }, "", href);
}

// The address `href` with the view in it; what else is there stays.
export function withView(href: string, view: object, parameters: readonly Parameter[]): string {
  const url = new URL(href);
  for (const { field, name, spelling, omit } of parameters) {
    const value: unknown = Reflect.get(view, field) ?? null;
    if (JSON.stringify(value) === JSON.stringify(omit ?? null)) url.searchParams.delete(name);
    else url.searchParams.set(name, spelled(spelling, value));
  }
  return url.href;
}

// null is "none": a parameter that is left out has its default.
export function spelled(spelling: Spelling, value: unknown): string {
  if (value === null) return "none";
  if (spelling === "index") return String((value as number) + 1);
  if (spelling === "flag") return value ? "1" : "0";
  if (spelling === "text" || spelling === "number") return String(value);
  return (value as readonly number[]).map((index) => index + 1).join("-"); // a cell, indices
}
