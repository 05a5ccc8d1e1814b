// Text and picture point at each other, across the borders of components.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeElement, read } from "./dom.ts";

Object.assign(document, { activeElement: null });
// Reports a change in a root when a test calls `draw`.
class Observer {
  readonly told: () => void;
  roots: unknown[] = [];
  constructor(told: () => void) {
    this.told = told;
    observers.push(this);
  }
  observe(root: unknown): void {
    watched++;
    this.roots = [root];
  }
  disconnect(): void {
    this.roots = [];
  }
}
const observers: Observer[] = [];
let watched = 0; // how often an observer began to watch
Object.assign(globalThis, { Element: FakeElement, MutationObserver: Observer });
const { fillWithTerms, lightScene, lightTerms, withTerms } = await import("../src/kit/term_highlight.ts");

// An element that knows only the selectors that the tested code uses.
class Node extends FakeElement {
  override matches(what?: string): boolean {
    const isPart = this.hasAttribute("data-term");
    const isText = this.hasAttribute("data-names") || this.getAttribute("href")?.startsWith("#term-") === true;
    return (what?.includes("data-term") && isPart) || (what?.includes("data-names") && isText) || false;
  }
  override closest(what: string): FakeElement | null {
    return this.matches(what) ? this : null;
  }
}

// A page or a component: a target of events, with `nodes` in it.
class Root extends EventTarget {
  readonly nodes: Node[];
  constructor(...nodes: Node[]) {
    super();
    this.nodes = nodes;
  }
  querySelectorAll(): Node[] {
    return this.nodes;
  }
  contains(node: unknown): boolean {
    return this.nodes.includes(node as Node);
  }
  hear(type: string, target: Node, more: object = {}): void {
    const event = new Event(type);
    const composedPath = () => [target];
    for (const [name, value] of Object.entries({ target, composedPath, ...more })) {
      Object.defineProperty(event, name, { value });
    }
    this.dispatchEvent(event);
  }
}

function node(tag: string, attributes: Record<string, string>): Node {
  const made = new Node(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const key = node("a", { href: "#term-key" });
const mask = node("a", { href: "#term-mask" });
const words = node("p", {});
const keys = node("figure", { "data-term": "query key" });
const nothing = node("figure", { "data-term": "" });
const formula = node("span", { "data-names": "key" });
const values = node("figure", { "data-term": "value key" });
let page: Root;
let component: Root;
let ends: (() => void)[] = [];
const draw = (root: Root, one: Node) => {
  root.nodes.push(one);
  for (const { roots, told } of observers) if (roots.includes(root)) told();
};
const lit = () => [key, mask, words, keys, nothing, formula, values].filter((one) => one.classList.contains("vt-lit"));

beforeEach(() => {
  for (const end of ends) end();
  for (const one of [key, mask, keys, formula, values]) one.className = "";
  Object.assign(document, { activeElement: null });
  page = new Root(key, mask, words);
  component = new Root(keys, nothing, formula);
  ends = [page, component].map((root) => lightTerms(root as unknown as HTMLElement));
});

test("a term that is pointed at lights the parts of the picture that show it, and no other text", () => {
  page.hear("pointerover", key);
  assert.deepEqual(lit(), [keys]);
  page.hear("pointerover", mask);
  assert.deepEqual(lit(), []);
});

test("a part of the picture lights what names it, in the text and in a formula", () => {
  component.hear("pointerover", keys);
  assert.deepEqual(lit(), [key, formula]);
  component.hear("pointerout", keys, { relatedTarget: null });
  assert.deepEqual(lit(), []);
});

test("on the way within a component nothing goes out, and a part that shows nothing lights nothing", () => {
  component.hear("pointerover", formula);
  component.hear("pointerout", formula, { relatedTarget: keys });
  assert.deepEqual(lit(), [keys]);
  component.hear("pointerover", nothing);
  assert.deepEqual(lit(), []);
});

test("a term in focus stays in the light while the pointer is elsewhere", () => {
  Object.assign(document, { activeElement: key });
  page.hear("focusin", key);
  page.hear("pointerover", words);
  assert.deepEqual(lit(), [keys]);
  Object.assign(document, { activeElement: words });
  page.hear("focusout", key, { relatedTarget: null });
  assert.deepEqual(lit(), []);
});

test("what is drawn while a term is pointed at is lit, too, and no longer", () => {
  page.hear("pointerover", key);
  draw(component, values);
  assert.deepEqual(lit(), [keys, values]);
  page.hear("pointerout", key, { relatedTarget: null });
  component.nodes.pop();
  draw(component, values);
  assert.deepEqual(lit(), []);
});

test("a picture that comes after a term has got the focus is lit", () => {
  Object.assign(document, { activeElement: key });
  const late = new Root(values);
  ends.push(lightTerms(late as unknown as HTMLElement));
  assert.deepEqual(lit(), [values]);
});

test("what happens in a component the page leaves to it", () => {
  page.hear("pointerover", key, { composedPath: () => [keys, key] });
  assert.deepEqual(lit(), []);
});

test("nothing is heard after the end", () => {
  ends[1]();
  page.hear("pointerover", key);
  assert.deepEqual(lit(), []);
});

test("marked terms of a text become links, all else is text", () => {
  const [before, link, after] = withTerms("Every [key](#term-key) [1](https://example.org) <b>");
  assert.equal(before, "Every ");
  assert.equal(read(link).getAttribute("href") ?? read(link).href, "#term-key");
  assert.equal(read(link).textContent, "key");
  assert.equal(after, " [1](https://example.org) <b>");
});

test("the Tab key stops once in a text, and the arrow keys go from term to term", () => {
  const text = new FakeElement("p");
  fillWithTerms(text as unknown as HTMLElement, "A [query](#term-query), [keys](#term-key) and [values](#term-value).");
  const links = text.tags("a");
  assert.deepEqual(
    links.map((link) => link.tabIndex),
    [0, -1, -1],
  );
  let focused = -1;
  for (const [n, link] of links.entries()) link.focus = () => (focused = n);
  const press = (n: number, key: string) =>
    links[n].onkeydown?.({ key, preventDefault: () => {}, stopPropagation: () => {} });
  press(0, "ArrowRight");
  assert.equal(focused, 1);
  press(1, "ArrowLeft");
  assert.equal(focused, 0);
  press(0, "ArrowLeft");
  press(2, "Tab");
  assert.equal(focused, 0);
});

test("what a scene is about is lit while nothing is pointed at", () => {
  lightScene(["key", "value"]);
  assert.deepEqual(lit(), [keys]);
  page.hear("pointerover", mask);
  assert.deepEqual(lit(), []);
  page.hear("pointerout", mask);
  assert.deepEqual(lit(), [keys]);
  const late = new Root(keys);
  keys.classList.remove("vt-lit");
  ends.push(lightTerms(late as unknown as HTMLElement)); // drawn after the scene began
  assert.deepEqual(lit(), [keys]);
  lightScene([]);
  assert.deepEqual(lit(), []);
});

test("a scene that is shown again takes no light from what is pointed at, and nothing is watched anew", () => {
  const never = watched;
  lightScene(["value"]);
  const before = watched;
  assert.ok(before > never);
  page.hear("pointerover", key);
  lightScene(["value"]);
  assert.deepEqual(lit(), [keys]);
  page.hear("pointerover", mask);
  assert.equal(watched, before);
  lightScene([]);
});
