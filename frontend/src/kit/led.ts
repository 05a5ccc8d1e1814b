// A view that somebody else leads: the lecturer of a room. Every component's bundle tells the page where a person goes, and
// goes where the page is led.

const CHANGED = "viz-transformer-changed";
const LED = "viz-transformer-led";
const SHOWN = "viz-transformer-shown";

export interface Led {
  readonly key: string; // of the component
  readonly view: object;
  readonly rest: number; // milliseconds until Python hears of it: of a whole class not at once
}

// A person has gone there.
export function tellChanged(key: string, view: object): void {
  document.dispatchEvent(new CustomEvent(CHANGED, { detail: { key, view } }));
}

export const hearChanged = (hear: (key: string, view: object) => void): (() => void) =>
  listen<Led>(CHANGED, ({ key, view }) => hear(key, view));

// This component shows something new, and can be led from now on.
export function tellShown(key: string): void {
  document.dispatchEvent(new CustomEvent(SHOWN, { detail: key }));
}

export const hearShown = (hear: (key: string) => void): (() => void) => listen<string>(SHOWN, hear);

export function lead(led: Led): void {
  document.dispatchEvent(new CustomEvent(LED, { detail: led }));
}

export const hearLed = (hear: (led: Led) => void): (() => void) => listen<Led>(LED, hear);

function listen<Detail>(name: string, hear: (detail: Detail) => void): () => void {
  const on = (event: Event): void => hear((event as CustomEvent<Detail>).detail);
  document.addEventListener(name, on);
  return () => document.removeEventListener(name, on);
}

// Whether `other` could be such a view: the same fields, each of the same kind or nothing. It comes from another browser.
export function isLike(view: object, other: unknown): other is object {
  if (typeof other !== "object" || other === null || Array.isArray(other)) return false;
  const names = Object.keys(view);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isAlike(Reflect.get(view, name), Reflect.get(other, name)))
  );
}

const MOST = 200; // entries of a list, as Python has it

function isAlike(value: unknown, other: unknown): boolean {
  if (other === null || value === null) return other === null || isPlain(other);
  if (Array.isArray(value)) return Array.isArray(other) && other.length <= MOST && other.every(isPlain);
  if (typeof value === "object") return isLike(value, other);
  return typeof value === typeof other && isPlain(other);
}

function isPlain(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0;
  if (Array.isArray(value)) return value.length <= MOST && value.every(isPlain);
  if (typeof value === "object" && value !== null) return Object.values(value).every(isPlain);
  return true;
}
