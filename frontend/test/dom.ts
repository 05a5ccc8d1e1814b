// As much of a page as the views build on: elements with their children, texts, attributes and properties, so that a test
// can read what a person would. It has no layout: an element is as wide as a test says.

import { RecordingCanvas, RecordingContext } from "./canvas.ts";

type Listener = (event: unknown) => void;

class FakeNode {
  parent: FakeElement | null = null;
  get textContent(): string {
    return "";
  }
  remove(): void {
    this.parent?.take(this);
  }
}

class FakeText extends FakeNode {
  private readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  override get textContent(): string {
    return this.text;
  }
}

class ClassList {
  private readonly node: FakeElement;
  constructor(node: FakeElement) {
    this.node = node;
  }
  private get names(): string[] {
    return this.node.className.split(" ").filter(Boolean);
  }
  contains(name: string): boolean {
    return this.names.includes(name);
  }
  toggle(name: string, isOn = !this.contains(name)): void {
    const others = this.names.filter((one) => one !== name);
    this.node.className = [...others, ...(isOn ? [name] : [])].join(" ");
  }
  add(name: string): void {
    this.toggle(name, true);
  }
  remove(name: string): void {
    this.toggle(name, false);
  }
}

class Style {
  [name: string]: unknown;
  setProperty(name: string, value: string): void {
    this[name] = value;
  }
  removeProperty(name: string): void {
    this.setProperty(name, "");
  }
  getPropertyValue(name: string): string {
    return String(this[name] ?? "");
  }
}

export class FakeElement extends FakeNode {
  readonly tagName: string;
  readonly childNodes: FakeNode[] = [];
  readonly dataset: Record<string, unknown> = {};
  readonly attributes = new Map<string, string>();
  readonly classList = new ClassList(this);
  className = "";
  id = "";
  hidden = false;
  disabled = false;
  open = false; // of <details>
  tabIndex = -1;
  title = "";
  value = "";
  max = "";
  href = "";
  clientWidth = 0;
  clientHeight = 0;
  scrollWidth = 0;
  scrollHeight = 0;
  scrollLeft = 0;
  scrollTop = 0;
  offsetTop = 0;
  offsetHeight = 0;
  onclick: Listener | null = null;
  ondblclick: Listener | null = null;
  oninput: Listener | null = null;
  onkeydown: Listener | null = null;
  onpointermove: Listener | null = null;
  onpointerdown: Listener | null = null;
  private readonly styles = new Style();

  constructor(tag: string) {
    super();
    this.tagName = tag;
  }

  get style(): Style {
    return this.styles;
  }
  set style(css: unknown) {
    this.styles.cssText = css;
  }
  get valueAsNumber(): number {
    return this.value === "" ? 50 : Number(this.value); // a range without a value stands in the middle
  }
  set valueAsNumber(value: number) {
    this.value = String(value);
  }
  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }
  get lastElementChild(): FakeElement | undefined {
    return this.children.at(-1);
  }
  get isConnected(): boolean {
    return this.parent !== null;
  }
  override get textContent(): string {
    return this.childNodes.map((node) => node.textContent).join("");
  }
  override set textContent(text: unknown) {
    this.replaceChildren(String(text ?? ""));
  }

  append(...nodes: (FakeNode | string)[]): void {
    for (const node of nodes.map((one) => (one instanceof FakeNode ? one : new FakeText(String(one))))) {
      node.remove();
      node.parent = this;
      this.childNodes.push(node);
    }
  }
  prepend(...nodes: FakeNode[]): void {
    this.replaceChildren(...nodes, ...this.childNodes);
  }
  replaceChildren(...nodes: (FakeNode | string)[]): void {
    for (const node of [...this.childNodes]) this.take(node);
    this.append(...nodes);
  }
  take(node: FakeNode): void {
    const place = this.childNodes.indexOf(node);
    if (place >= 0) this.childNodes.splice(place, 1);
    node.parent = null;
  }
  before(node: FakeNode): void {
    this.beside(node, 0);
  }
  after(node: FakeNode): void {
    this.beside(node, 1);
  }
  private beside(node: FakeNode, by: 0 | 1): void {
    if (!this.parent) return;
    this.parent.childNodes.splice(this.parent.childNodes.indexOf(this) + by, 0, node);
    node.parent = this.parent;
  }
  contains(node: FakeNode | null): boolean {
    return node === this || this.children.some((child) => child.contains(node));
  }

  setAttribute(name: string, value: unknown): void {
    if (name === "class") this.className = String(value);
    this.attributes.set(name, String(value));
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  // `selector`: a tag or ".class".
  closest(selector: string): FakeElement | null {
    const fits = selector.startsWith(".") ? this.classList.contains(selector.slice(1)) : this.tagName === selector;
    return fits ? this : (this.parent?.closest(selector) ?? null);
  }
  getBoundingClientRect(): { left: number; top: number; width: number; height: number } {
    return { left: 0, top: 0, width: this.clientWidth, height: this.clientHeight };
  }
  getRootNode(): null {
    return null;
  }
  querySelector(): null {
    return null;
  }
  querySelectorAll(tag: string): FakeElement[] {
    return this.tags(tag);
  }
  matches(): boolean {
    return true;
  }
  checkVisibility(): boolean {
    return !this.hidden;
  }
  focus(): void {}
  addEventListener(): void {}
  setPointerCapture(): void {}

  // All below it that fit, in their order.
  all(fits: (node: FakeElement) => boolean): FakeElement[] {
    return this.children.flatMap((child) => [...(fits(child) ? [child] : []), ...child.all(fits)]);
  }
  tags(tag: string): FakeElement[] {
    return this.all((node) => node.tagName === tag);
  }
  classed(name: string): FakeElement[] {
    return this.all((node) => node.classList.contains(name));
  }
  // The first descendant with this test id.
  byId(id: string): FakeElement {
    const [found] = this.all((node) => node.getAttribute("data-testid") === id);
    if (!found) throw new Error(`Nothing has the test id ${id}.`);
    return found;
  }
}

class FakeInput extends FakeElement {
  override value = "0";
}
class FakeRow extends FakeElement {}
class FakeCell extends FakeElement {}

// As in a browser, setting its size clears it.
export class FakeCanvas extends FakeElement {
  context = new RecordingContext(new RecordingCanvas(1, 1));
  private size: [number, number] = [1, 1];
  get width(): number {
    return this.size[0];
  }
  set width(width: number) {
    this.resize(width, this.size[1]);
  }
  get height(): number {
    return this.size[1];
  }
  set height(height: number) {
    this.resize(this.size[0], height);
  }
  getContext(): RecordingContext {
    return this.context;
  }
  private resize(width: number, height: number): void {
    this.size = [width, height];
    this.context = new RecordingContext(new RecordingCanvas(width, height));
  }
}

const KINDS: Readonly<Record<string, typeof FakeElement>> = {
  canvas: FakeCanvas,
  input: FakeInput,
  tr: FakeRow,
  td: FakeCell,
  th: FakeCell,
};
const make = (tag: string) => new (KINDS[tag] ?? FakeElement)(tag);

const page = Object.assign(new EventTarget(), {
  documentElement: make("html"),
  body: make("body"),
  querySelector: (): unknown => null,
  createElement: make,
  createElementNS: (_: string, tag: string) => make(tag),
});

class Observer {
  observe(): void {}
  disconnect(): void {}
}

const kept = new Map<string, string>();

Object.assign(globalThis, {
  document: page,
  location: { href: "http://app/" },
  localStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => kept.set(name, text),
    removeItem: (name: string) => kept.delete(name),
    clear: () => kept.clear(),
  },
  addEventListener: () => {},
  removeEventListener: () => {},
  Element: FakeElement,
  HTMLElement: FakeElement,
  Node: FakeNode,
  Document: class {},
  ShadowRoot: class {},
  HTMLTableRowElement: FakeRow,
  HTMLTableCellElement: FakeCell,
  ResizeObserver: Observer,
  MutationObserver: Observer,
  devicePixelRatio: 1,
  innerHeight: 800,
  innerWidth: 1000,
  requestAnimationFrame: (run: () => void) => setTimeout(run, 0),
  getComputedStyle: () => ({
    color: "ink",
    fontFamily: "serif",
    getPropertyValue: (name: string) => (name === "--hue" ? "" : name),
  }),
});

// One element twice: as the views' types want it, and as the fake that a test reads.
export function parent(width = 1000): { element: HTMLElement; fake: FakeElement } {
  const fake = new FakeElement("div");
  fake.clientWidth = width;
  return { element: fake as unknown as HTMLElement, fake };
}
export const read = (node: unknown): FakeElement => node as FakeElement;

// The app's labels: each is its own name, unless a template is given for it.
export function labels(templates: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return new Proxy(templates, { get: (given, name) => given[String(name)] ?? String(name) });
}

// The texts of a table's rows, cell by cell, its heading first.
export const rowsOf = (table: FakeElement): string[][] =>
  table.tags("tr").map((row) => row.children.map((cell) => cell.textContent));
