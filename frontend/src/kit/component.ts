// What every panel does: it reads a message, owns the view, and goes along with a bar of sliders.
//
// src/panels.ts lists them all; a message says which of them it is for. They are shown by Streamlit, which calls the
// component with data; and by a notebook or a file, which calls it with nothing; see standalone.ts.

import { listen, type Move, placeOf } from "./bar.ts";
import { unpack } from "./codec.ts";
import type { Labels } from "./dom.ts";
import { FullScreen } from "./full_screen.ts";
import { saveHtml } from "./html_file.ts";
import { hearKeys } from "./keys.ts";
import { LEAVES, type Leaving, PATIENCE } from "./leave.ts";
import type { Message, Packed, Request } from "./message.ts";
import { hearLed, isLike, type Led, tellChanged, tellShown } from "./remote_view.ts";
import { whenSaid } from "./said.ts";
import { SAVES_HTML, type Saved } from "./save.ts";
import { type Alone, alone, type Shown } from "./standalone.ts";
import { isRunning } from "./streamlit.ts";
import { dress } from "./style.ts";
import { lightTerms } from "./term_highlight.ts";
import { type Commit, type LastViews, ViewState } from "./view_state.ts";

export type { Labels };

export interface Panel<Content> {
  // A picture, which can fill the screen; without one it is controls or a table.
  readonly picture?: HTMLElement;
  // The element that gets the keys pressed elsewhere on the page; see keys.ts.
  readonly hears?: HTMLElement;
  // With every new content and theme; `moved`: the view went elsewhere.
  show(content: Content, labels: Labels, moved: boolean): void;
  remove(): void;
}

// Streamlit calls this with new data and after a change of theme -> the cleanup of this call.
export type StreamlitComponent = (call: {
  parentElement: HTMLElement;
  data: Uint8Array;
  setStateValue(name: string, value: unknown): void;
}) => () => void;

export type PanelClass<View extends object, Content> = new (
  parent: HTMLElement,
  state: ViewState<View>,
) => Panel<Content>;

type Mount = (parent: HTMLElement, stands: Place) => Shown;
export type Panels = Readonly<Record<string, Mount>>; // by the names that Python calls them

// `isOwn`: every browser has its own view of it, which the lecturer of a room does not lead.
export function panel<View extends object, Content>(
  panelClass: PanelClass<View, Content>,
  { isOwn } = { isOwn: false },
): Mount {
  const lastViews: LastViews<View> = new Map();
  return (parent, stands) =>
    stands === "app"
      ? new Mounted(parent, panelClass, lastViews, stands, isOwn)
      : new Mounted(parent, panelClass, new Map(), stands, true);
}

export interface Component extends StreamlitComponent {
  (): Alone;
}

export function component(panels: Panels): Component {
  const shownAlone = alone((name, parent, isPage) => panels[name](parent, isPage ? "file" : "output"));
  const byStreamlit = streamlitComponent(panels);
  return ((call?: Parameters<StreamlitComponent>[0]) => (call ? byStreamlit(call) : shownAlone)) as Component;
}

function streamlitComponent(panels: Panels): StreamlitComponent {
  const mounted = new WeakMap<HTMLElement, Shown>();

  return ({ parentElement, data, setStateValue }) => {
    const message = unpack<Message<object>>(data);
    dress(parentElement);
    const shown = mounted.get(parentElement) ?? panels[message.request.panel](parentElement, "app");
    mounted.set(parentElement, shown);
    shown.receive(message, (view) => setStateValue("view", view));
    return () => {
      // Streamlit also cleans up when a later call replaces this one, before or after that call: then the panel stays.
      if (parentElement.isConnected) return;
      mounted.get(parentElement)?.remove();
      mounted.delete(parentElement);
    };
  };
}

// Where a view stands: on a page of the app; alone in a file; among other outputs of a notebook, whose keys, language and
// address are none of its business.
type Place = "app" | "file" | "output";

class Mounted<View extends object, Content> implements Shown {
  readonly #state: ViewState<View>;
  readonly #panel: Panel<Content>;
  readonly #stops: readonly (() => void)[];
  readonly #fullScreen: FullScreen | undefined;
  #message: Message<View> | null = null;
  #labels: Labels = {};
  #stopWaiting = () => {};
  #stopHearing: (() => void) | undefined; // keys, from the first content on: before it, there is no view to move
  #commit: Commit<View> = () => {};
  #place: string | null = null; // of the bar, as shown
  #values: Uint8Array | null = null; // of the content, as shown
  #content: Content | null = null; // the same, unpacked
  #isLed = false; // while it shows a view of the lecturer's
  #answered = 0; // when the link was written last
  readonly #stands: Place;
  readonly #isOwn: boolean;

  constructor(
    parent: HTMLElement,
    panelClass: PanelClass<View, Content>,
    lastViews: LastViews<View>,
    stands: Place,
    isOwn: boolean,
  ) {
    this.#stands = stands;
    this.#isOwn = isOwn;
    this.#state = new ViewState(lastViews);
    this.#panel = new panelClass(parent, this.#state);
    const { picture } = this.#panel;
    this.#stops = [
      listen((move) => this.#follow(move)),
      lightTerms(parent),
      ...(isOwn ? [] : [hearLed((led) => this.#beLed(led))]),
    ];
    if (!isOwn)
      this.#state.onChange = (key, view) => {
        if (!this.#isLed) tellChanged(key, view);
      };
    const repaint = () => this.#content && this.#panel.show(this.#content, this.#labels, false);
    this.#fullScreen = picture && new FullScreen(picture, this.#hasKeys, repaint);
    if (stands !== "app") return;
    parent.addEventListener(SAVES_HTML, (event) => this.#saveHtml((event as CustomEvent<Saved>).detail));
    globalThis.navigation?.addEventListener("currententrychange", this.#onNavigate);
    globalThis.document?.addEventListener?.(LEAVES, this.#onLeave);
  }

  get #hasKeys(): boolean {
    return this.#stands !== "output";
  }

  receive(message: Message<View>, commit: Commit<View>): void {
    this.#stopWaiting();
    this.#stopWaiting = whenSaid(message.request.labels, (labels) => this.#take(message, labels, commit));
  }

  remove(): void {
    this.#stopWaiting();
    this.#stopHearing?.();
    for (const stop of this.#stops) stop();
    this.#fullScreen?.remove();
    globalThis.navigation?.removeEventListener("currententrychange", this.#onNavigate);
    globalThis.document?.removeEventListener?.(LEAVES, this.#onLeave);
    this.#state.wait();
    this.#panel.remove();
  }

  #take(message: Message<View>, labels: Labels, commit: Commit<View>): void {
    this.#message = message;
    this.#labels = labels;
    this.#commit = commit;
    if (!("bar" in message)) {
      this.#show(message.request, message.content);
      return;
    }
    const place = placeOf(message.bar) ?? message.at;
    const isThere = place === this.#place; // then the message answers an earlier place
    if (!this.#goTo(place) && !isThere) this.#goTo(message.at);
  }

  #follow(move: Move): void {
    const message = this.#message;
    if (!message || !("bar" in message) || message.bar !== move.bar) return;
    move.views += 1;
    if (move.place !== this.#place && !this.#goTo(move.place)) move.waiting += 1;
  }

  // Shows what belongs to a place of the bar -> whether the message has it.
  #goTo(place: string): boolean {
    const message = this.#message;
    if (!message || !("bar" in message) || !Object.hasOwn(message.places, place)) return false;
    this.#place = place;
    this.#show(message.request, message.bodies[message.places[place]]);
    return true;
  }

  #saveHtml(saved: Saved): void {
    if (!this.#message || !this.#values) return;
    const request = { ...this.#message.request, view: this.#state.view };
    void saveHtml(saved, request, this.#labels, this.#values);
  }

  #show(request: Request<View>, { values }: Packed): void {
    const isAgain = Boolean(request.isFirst && this.#values && isEqual(this.#values, values));
    this.#values = values;
    const moved = this.#state.adopt(request, this.#commit, isAgain);
    if (this.#stands !== "output") document.documentElement.lang = request.language;
    this.#fullScreen?.name(this.#labels.full_screen);
    this.#content = unpack<Content>(values);
    this.#panel.show(this.#content, this.#labels, moved);
    const { hears } = this.#panel;
    if (hears && this.#hasKeys) this.#stopHearing ??= hearKeys(hears);
    if (request.link) this.#state.commitIn();
    if (!this.#isOwn) tellShown(this.#state.key);
  }

  // Goes where the lecturer's view is. What that shows may not exist here: then the view stays where it was.
  #beLed({ key, view, rest }: Led): void {
    const before = this.#state.view;
    if (key !== this.#state.key || !isLike(before, view) || JSON.stringify(view) === JSON.stringify(before)) return;
    this.#isLed = true;
    if (this.#showView(view as View)) this.#state.commitIn(rest);
    else this.#showView(before);
    this.#isLed = false;
  }

  #showView(view: View): boolean {
    this.#state.lead(view);
    try {
      this.#panel.show(this.#content as Content, this.#labels, true);
      return true;
    } catch {
      return false;
    }
  }

  // Whether Python was told a moment ago and has not finished its answer.
  #isAwaited(): boolean {
    const { told } = this.#state;
    return performance.now() - told < PATIENCE && (isRunning() || told > this.#answered);
  }

  // Streamlit has written its own link over the view that the browser keeps there: it is put back.
  readonly #onNavigate = (): void => {
    this.#answered = performance.now();
    if (this.#message?.request.link) this.#state.commitIn();
  };

  // Another page opens, and its link is made from this page's: what is missing there is written now, or told to Python,
  // which writes it.
  readonly #onLeave = (event: Event): void => {
    if (!this.#message) return;
    globalThis.navigation?.removeEventListener("currententrychange", this.#onNavigate); // that link is the other page's
    if (this.#message.request.link) {
      this.#state.wait();
      this.#state.keepInLink();
    } else if (this.#state.tell() || this.#isAwaited()) {
      (event as CustomEvent<Leaving>).detail.waits = true;
    }
  };
}

function isEqual(bytes: Uint8Array, others: Uint8Array): boolean {
  return bytes.length === others.length && bytes.every((byte, n) => byte === others[n]);
}
