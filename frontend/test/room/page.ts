// A fake page for a room's lecturer and follower: its events, address and clock, all controlled by the test.

import { mock } from "node:test";
import { FakeElement } from "../dom.ts";

type Listener = (event: object) => void;

const listeners = new Map<string, Set<Listener>>();
let now = 0;

function listen(name: string, listener: Listener, options?: { signal?: AbortSignal }): void {
  const all = listeners.get(name) ?? new Set();
  listeners.set(name, all.add(listener));
  options?.signal?.addEventListener("abort", () => all.delete(listener));
}

function emit(name: string, event: object = {}): void {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(event);
}

const target = {
  addEventListener: listen,
  removeEventListener: (name: string, listener: Listener) => listeners.get(name)?.delete(listener),
  dispatchEvent: (event: Event) => emit(event.type, event),
};
const root = new FakeElement("div");
const move = (address: string) => {
  here.href = address;
  went.push(address);
  emit("currententrychange");
};
export const went: string[] = []; // what the page itself opened
export const here = { href: "http://app/" };

Object.assign(globalThis, {
  location: here,
  navigation: target,
  addEventListener: listen,
  dispatchEvent: (event: Event) => emit(event.type, event),
  PopStateEvent: class extends Event {},
  history: { state: null, replaceState: (_: unknown, __: string, to: string) => move(to), pushState: move },
});
Object.assign(document, target, { querySelector: () => root, body: new FakeElement("body") });
Object.defineProperty(performance, "now", { value: () => now });

export function reset(address: string): void {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  listeners.clear();
  went.length = 0;
  here.href = address;
  now += 1e6;
  setRunning(false);
}

export function wait(milliseconds: number): void {
  now += milliseconds;
  mock.timers.tick(milliseconds);
}

export const setRunning = (isRunning: boolean) =>
  root.setAttribute("data-test-script-state", isRunning ? "running" : "notRunning");

// The link changes, by a run, a view or the navigation.
export function link(address: string): void {
  here.href = address;
  emit("currententrychange");
}

// A person presses an element that matches `selector`.
export function press(selector = "button", name = "pointerdown"): void {
  const pressed = new FakeElement("div");
  pressed.matches = ((asked: string) => asked.split(", ").includes(selector)) as () => boolean;
  emit(name, { isTrusted: true, composedPath: () => [pressed] });
}

export const back = () => emit("popstate", { isTrusted: true });
