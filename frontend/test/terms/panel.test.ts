// When a term is explained, and when no longer.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { FakeElement, parent, read } from "../dom.ts";

class Link extends FakeElement {
  isGone = false;
  override removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  getClientRects(): object[] {
    return this.isGone ? [] : [{ left: 100, top: 100, bottom: 120 }];
  }
}
const link = (href: string) => {
  const node = new Link("a");
  node.setAttribute("href", href);
  return node;
};

const watchers: (() => void)[] = [];
const changed = () => {
  for (const told of watchers) told();
};
const body = new FakeElement("body");
Object.assign(document.documentElement, { clientWidth: 390, clientHeight: 844 });
Object.assign(document, { body, activeElement: null, querySelectorAll: () => [] });
Object.assign(FakeElement.prototype, {
  matches: () => false,
  closest(this: FakeElement): FakeElement | null {
    return this.getAttribute("href")?.startsWith("#term-") ? this : null;
  },
});
Object.assign(globalThis, {
  Element: FakeElement,
  window: new EventTarget(),
  requestAnimationFrame: () => 1,
  cancelAnimationFrame: () => {},
  MutationObserver: class {
    constructor(then: () => void) {
      watchers.push(then);
    }
    observe(): void {}
    disconnect(): void {}
  },
});
const { TermsPanel } = await import("../../src/terms/panel.ts");

const key = link("#term-key");
const elsewhere = link("https://example.org");
let panel: InstanceType<typeof TermsPanel>;
let tip: FakeElement;

function hear(type: string, target: FakeElement, more: object = {}): Event {
  const event = new Event(type, { cancelable: true });
  for (const [name, value] of Object.entries({ target, composedPath: () => [target], ...more }))
    Object.defineProperty(event, name, { value });
  document.dispatchEvent(event);
  return event;
}
const point = (target: FakeElement, pointerType = "mouse") => hear("pointerover", target, { pointerType });
const press = (name: string) => hear("keydown", key, { key: name });
const isShown = () => !tip.hidden;

beforeEach(() => {
  panel?.remove();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  key.isGone = false;
  Object.assign(document, { activeElement: null });
  panel = new TermsPanel(parent().element);
  panel.show({ texts: {}, streamlit: {}, terms: { key: { title: "key", said: "What is compared." } } });
  tip = read(body.lastElementChild);
});

test("a pointer that rests on a term has it explained, and the term says by what", () => {
  point(key);
  mock.timers.tick(119);
  assert.equal(isShown(), false);
  mock.timers.tick(1);
  assert.equal(isShown(), true);
  assert.equal(tip.textContent, "keyWhat is compared.");
  assert.equal(key.getAttribute("aria-describedby"), tip.id);
});

test("one that only passes, does not", () => {
  point(key);
  mock.timers.tick(60);
  point(elsewhere);
  mock.timers.tick(1000);
  assert.equal(isShown(), false);
});

test("on its way from the term to the explanation nothing closes; elsewhere it does", () => {
  point(key);
  mock.timers.tick(200);
  point(elsewhere);
  mock.timers.tick(100);
  point(tip);
  mock.timers.tick(1000);
  assert.equal(isShown(), true);
  point(elsewhere);
  mock.timers.tick(250);
  assert.equal(isShown(), false);
  assert.equal(key.hasAttribute("aria-describedby"), false);
});

test("a term in focus is explained at once, until it loses the focus, however the pointer moves", () => {
  Object.assign(document, { activeElement: key });
  hear("focusin", key);
  assert.equal(isShown(), true);
  point(elsewhere);
  mock.timers.tick(1000);
  assert.equal(isShown(), true);
  hear("focusout", key);
  assert.equal(isShown(), false);
});

test("what else loses the focus, such as a button that a run takes away, closes nothing", () => {
  point(key);
  hear("focusout", elsewhere);
  mock.timers.tick(120);
  assert.equal(isShown(), true);
  hear("focusout", elsewhere);
  assert.equal(isShown(), true);
});

test("Escape closes it, and nothing else: where nothing is shown, the key is not taken", () => {
  assert.equal(press("Escape").defaultPrevented, false);
  hear("focusin", key);
  assert.equal(press("a").defaultPrevented, false);
  assert.equal(press("Escape").defaultPrevented, true);
  assert.equal(isShown(), false);
});

test("a finger taps: what it touches on its way is not explained, a tap elsewhere closes", () => {
  point(key, "touch");
  mock.timers.tick(1000);
  assert.equal(isShown(), false);
  assert.equal(hear("click", key).defaultPrevented, true);
  assert.equal(isShown(), true);
  hear("pointerdown", tip);
  assert.equal(isShown(), true);
  hear("pointerdown", elsewhere);
  assert.equal(isShown(), false);
});

test("other links are nobody's business, nor are terms that the glossary does not have", () => {
  assert.equal(hear("click", elsewhere).defaultPrevented, false);
  hear("click", link("#term-toString"));
  assert.equal(isShown(), false);
});

test("a term that a run takes away takes its explanation along", () => {
  hear("focusin", key);
  changed();
  assert.equal(isShown(), true);
  key.isGone = true;
  changed();
  assert.equal(isShown(), false);
});

test("nothing is left of it, and nothing is heard any more", () => {
  panel.remove();
  hear("focusin", key);
  assert.equal(tip.parent, null);
  assert.equal(key.hasAttribute("aria-describedby"), false);
});
