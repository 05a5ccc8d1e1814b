// Small helpers to build elements. Text always goes in as text, never as markup.

import { svg } from "./svg.ts";

export type Child = Node | string;
export type Labels = Readonly<Record<string, string>>; // what the app says, by name, in the page's language
type Value<T> = T extends string ? string | number : T;
// Properties of the element's class, numbers where it wants their text, attributes that are no property, and the name by
// which tests find the element.
export type Properties<Tag extends keyof HTMLElementTagNameMap> = {
  [name in Exclude<keyof HTMLElementTagNameMap[Tag], "style">]?: Value<HTMLElementTagNameMap[Tag][name]>;
} & { style?: string; testId?: string } & { [name in `data-${string}` | `aria-${string}`]?: string };

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties<Tag> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "testId") node.setAttribute("data-testid", String(value));
    else if (name in node) (node as unknown as Record<string, unknown>)[name] = value;
    else node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

// `nodes` become the children of `parent`, all of them, in this order. Where they are that already nothing is touched: a
// node that is put in anew loses the focus and how far it was scrolled.
export function setChildren(parent: Element, nodes: readonly Element[]): void {
  const isSame = parent.children.length === nodes.length && nodes.every((node, n) => node === parent.children[n]);
  if (!isSame) parent.replaceChildren(...nodes);
}

// "reads «{read}»" -> "reads «world»", for attributes and canvases.
export function fillText(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}

// Sentences as one text: after a Chinese full stop there is no space.
export function inARow(...sentences: string[]): string {
  return sentences.reduce((said, sentence) => said + (/(^|[。？！])$/.test(said) ? "" : " ") + sentence, "");
}

// The same as nodes. A value may be an array of nodes; text is isolated, so that a right-to-left token does not
// reorder the sentence around it.
export function fillNodes(
  template: string,
  values: Readonly<Record<string, string | number | readonly Child[]>>,
): Child[] {
  return template.split(/\{(\w+)\}/).flatMap((part, i) => {
    const value = values[part];
    if (i % 2 === 0) return [part];
    return isNodes(value) ? value : [element("bdi", { textContent: value })];
  });
}

function isNodes(value: unknown): value is readonly Child[] {
  return Array.isArray(value);
}

// Runs `run` when the frame that this belongs to is painted: for what a person may see a frame later.
export function afterFrame(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run, 0));
}

// The same, a frame later: nothing of it comes between two frames that a person waits for.
export function afterNextFrame(run: () => void): void {
  requestAnimationFrame(() => afterFrame(run));
}

// A button's face: an icon, with a text beside it or only for screen readers and as a tooltip.
export function setFace(button: HTMLElement, icon: Icon, label: string, isTextShown: boolean): void {
  button.replaceChildren(iconOf(icon), ...(isTextShown ? [label] : []));
  if (isTextShown) return;
  button.title = label;
  button.setAttribute("aria-label", label);
}

const ICONS = {
  first: "M3 3v10M13 3L6 8l7 5z",
  previous: "M11 3L4 8l7 5z",
  play: "M4 3l9 5-9 5z",
  pause: "M5 3v10M11 3v10",
  next: "M5 3l7 5-7 5z",
  last: "M13 3v10M3 3l7 5-7 5z",
  minus: "M3 8h10",
  plus: "M3 8h10M8 3v10",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9",
  share: "M8 10.5V2M4.5 5L8 1.5 11.5 5M5 7.5H3v7h10v-7h-2",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  room: "M8 7.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM3 13.5c0-3 2-4.5 5-4.5s5 1.5 5 4.5M2.8 4.5v3M13.2 4.5v3",
  png: "M8 2.5v7.5M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
};

export type Icon = keyof typeof ICONS;

function iconOf(name: Icon): SVGElement {
  const face = { viewBox: "0 0 16 16", class: `icon icon-${name}`, "aria-hidden": "true" };
  return svg("svg", face, svg("path", { d: ICONS[name] }));
}
