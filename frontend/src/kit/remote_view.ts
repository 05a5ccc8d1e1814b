// A view that somebody else leads: the lecturer of a room. The room hears where a person goes, and panels go where they are
// led.

import { Hearers } from "./hearers.ts";

export interface Led {
  readonly key: string; // of the panel
  readonly view: object;
  readonly rest: number; // milliseconds until Python hears of it, spread at random over a class
}

const changes = new Hearers<[key: string, view: object]>();
const shown = new Hearers<[key: string]>();
const leads = new Hearers<[Led]>();

// A person has moved a view.
export const { tell: tellChanged, hear: hearChanged } = changes;

// This panel shows something new, and can be led from now on.
export const { tell: tellShown, hear: hearShown } = shown;

export const { tell: lead, hear: hearLed } = leads;

// Whether `other`, from another browser, has the fields of `view`, each of the same type or null.
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
