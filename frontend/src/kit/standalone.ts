// A view without Streamlit: in an output of a notebook, where anywidget calls it, or in a file of its own (page.html).

import { element, type Labels } from "./dom.ts";
import { withView } from "./link.ts";
import type { Message, Request } from "./message.ts";
import { ALONE } from "./standalone_style.ts";
import { style } from "./style.ts";
import { followTheme } from "./theme.ts";
import type { Commit } from "./view_state.ts";

// What Python and the browser share: see notebook/widget.py.
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, hear: () => void): void;
  off(event: string, hear: () => void): void;
}

export interface Alone {
  render(call: { model: Model; el: HTMLElement }): () => void;
  openFile(): Promise<void>;
}

// A panel that has its place; it takes messages of its own kind alone.
export interface Shown {
  receive(message: Message<object>, commit: Commit<object>): void;
  remove(): void;
}
type Mount = (panel: string, parent: HTMLElement, isPage: boolean) => Shown;

export function alone(mount: Mount): Alone {
  const render = ({ model, el }: { model: Model; el: HTMLElement }): (() => void) => {
    const { root, parent } = standIn(el);
    const requested = () => model.get("request") as Request<object>;
    const mounted = mount(requested().panel, parent, false);
    const commit: Commit<object> = (view) => {
      model.set("settled", view);
      model.save_changes();
    };
    const show = (): void => {
      const request = requested();
      nameTerms(parent, model.get("terms"));
      const content = { values: bytesOf(model.get("content")) };
      mounted.receive({ request: { ...request, labels: without(request.labels, OF_APP) }, content }, commit);
    };
    const stop = followTheme(parent, el, String(model.get("theme")), show);
    // A notebook has keyboard shortcuts: keys that are pressed in a view do not reach them.
    const keep = (event: Event): void => event.stopPropagation();
    for (const type of KEYS) parent.addEventListener(type, keep);
    model.on("change:request", show);
    return () => {
      model.off("change:request", show);
      stop();
      mounted.remove();
      root.remove();
    };
  };

  const openFile = async (): Promise<void> => {
    const sent = JSON.parse(textOf("request")) as Request<object>;
    const labels = without(sent.labels, OF_APP);
    const request = { ...sent, labels: { ...labels, loading: labels.loading_file ?? "" } };
    const { parent } = standIn(document.getElementById("view") as HTMLElement);
    const link = document.getElementById("reopen") as HTMLAnchorElement | null;
    const follow: Commit<object> = (view) => {
      if (link) link.href = withView(link.href, view, request.parameters ?? []);
    };
    const values = await unzipped(textOf("content"));
    const mounted = mount(request.panel, parent, true);
    nameTerms(parent, JSON.parse(textOf("terms")));
    followTheme(parent, document.body, document.documentElement.dataset.theme ?? "", () =>
      mounted.receive({ request, content: { values } }, follow),
    );
  };

  return { render, openFile };
}

// Labels of what only the app can do, where Python merges words and searches again. Emptied, they hide their controls.
const OF_APP = ["merge_words", "hide_sinks", "force", "ban", "at_end", "save_html"];

function without(labels: Labels | string, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, names.includes(name) ? "" : text]));
}

const KEYS = ["keydown", "keyup", "keypress"];

// A root of its own: no style of the page reaches the view, and none of the view's reaches the page.
function standIn(place: HTMLElement): { root: HTMLElement; parent: HTMLElement } {
  const root = element("div");
  const parent = element("div", { className: "alone" });
  root.attachShadow({ mode: "open" }).append(element("style", { textContent: ALONE + style }), parent);
  place.append(root);
  return { root, parent };
}

function bytesOf(content: unknown): Uint8Array {
  if (!ArrayBuffer.isView(content)) throw new Error("The view was sent no content.");
  return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
}

async function unzipped(base64: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

// There is no glossary beside the view: a term explains itself in a tooltip, and its link leads nowhere.
function nameTerms(parent: HTMLElement, terms: unknown): void {
  const said = terms as Readonly<Record<string, string>>;
  const termAt = ({ target }: Event): HTMLAnchorElement | null =>
    target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#term-"]') : null;
  parent.onclick = (event) => {
    if (termAt(event)) event.preventDefault();
  };
  parent.onmouseover = (event) => {
    const link = termAt(event);
    if (link) link.title = said[link.hash.slice("#term-".length)] ?? "";
  };
}
