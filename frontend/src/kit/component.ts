// What every component does: it reads a message, owns the view, and goes along with a bar of sliders.
//
// An entry point is one line: export default component<View, Content>((parent, settled) => new MyPanel(parent, settled));

import { listen, type Move, placeOf } from "./bar.ts";
import { type Tensor, unpack } from "./codec.ts";
import type { Labels } from "./dom.ts";
import { FullScreen } from "./full_screen.ts";
import { hearKeys } from "./keys.ts";
import { followLater, linkToPage } from "./leave.ts";
import { lightTerms } from "./lit.ts";
import { whenSaid } from "./said.ts";
import { type Asked, type Commit, type LastViews, Settled } from "./settled.ts";

export type { Labels };

export interface Request<View> extends Asked<View> {
  readonly labels: Labels | string; // or their name, where the page is sent them for all
  readonly language: string; // of the page, for voices and fonts
}

export interface Panel<Content> {
  // A picture, which can fill the screen; without one it is controls or a table.
  readonly picture?: HTMLElement;
  // Who hears the keys that are pressed elsewhere on the page.
  readonly hears?: HTMLElement;
  // With every new content and theme; `moved`: the view went elsewhere.
  show(content: Content, labels: Labels, moved: boolean): void;
  remove(): void;
}

type Packed = Tensor<Uint8Array>;
type Message<View> = { readonly request: Request<View> } & (
  | { readonly content: Packed }
  // What a view shows at the places nearby: it turns to them without Python.
  | {
      readonly bar: string; // its key
      readonly at: string; // the place that was asked for
      readonly places: Readonly<Record<string, number>>;
      readonly bodies: readonly Packed[]; // equal ones once
    }
);

// What Streamlit calls for every new data and every change of theme -> the cleanup of this call.
export type StreamlitComponent = (call: {
  parentElement: HTMLElement;
  data: Uint8Array;
  setStateValue(name: string, value: unknown): void;
}) => () => void;

export type Create<View extends object, Content> = (parent: HTMLElement, settled: Settled<View>) => Panel<Content>;

export function component<View extends object, Content>(create: Create<View, Content>): StreamlitComponent {
  const mounted = new WeakMap<HTMLElement, Mounted<View, Content>>();
  const lastViews: LastViews<View> = new Map();

  return ({ parentElement, data, setStateValue }) => {
    let shown = mounted.get(parentElement);
    if (!shown) {
      shown = new Mounted(parentElement, create, lastViews);
      mounted.set(parentElement, shown);
    }
    // The cleanup of a call that a later one has overtaken may still run: only the newest owner may remove the panel.
    const owner = Symbol("call");
    shown.owner = owner;
    shown.receive(unpack(data), (view) => setStateValue("view", view));
    return () => {
      if (shown.owner !== owner) return;
      shown.remove();
      mounted.delete(parentElement);
    };
  };
}

class Mounted<View extends object, Content> {
  owner: symbol | null = null;
  private readonly settled: Settled<View>;
  private readonly panel: Panel<Content>;
  private readonly stops: readonly (() => void)[];
  private readonly fullScreen: FullScreen | undefined;
  private message: Message<View> | null = null;
  private labels: Labels = {};
  private stopWaiting = () => {};
  private commit: Commit<View> = () => {};
  private place: string | null = null; // of the bar, as shown

  constructor(parent: HTMLElement, create: Create<View, Content>, lastViews: LastViews<View>) {
    this.settled = new Settled(lastViews);
    this.panel = create(parent, this.settled);
    const { hears, picture } = this.panel;
    this.stops = [listen((move) => this.follow(move)), lightTerms(parent), ...(hears ? [hearKeys(hears)] : [])];
    this.fullScreen = picture && new FullScreen(picture);
    globalThis.navigation?.addEventListener("currententrychange", this.onNavigate);
    globalThis.document?.addEventListener?.("click", this.onLeave, true); // before Streamlit hears of it
  }

  receive(message: Message<View>, commit: Commit<View>): void {
    this.stopWaiting();
    this.stopWaiting = whenSaid(message.request.labels, (labels) => this.take(message, labels, commit));
  }

  remove(): void {
    this.stopWaiting();
    for (const stop of this.stops) stop();
    this.fullScreen?.remove();
    globalThis.navigation?.removeEventListener("currententrychange", this.onNavigate);
    globalThis.document?.removeEventListener?.("click", this.onLeave, true);
    this.settled.wait();
    this.panel.remove();
  }

  private take(message: Message<View>, labels: Labels, commit: Commit<View>): void {
    this.message = message;
    this.labels = labels;
    this.commit = commit;
    if (!("bar" in message)) {
      this.show(message.request, message.content);
      return;
    }
    const place = placeOf(message.bar) ?? message.at;
    const isThere = place === this.place; // and this is the answer to an earlier place
    if (!this.goTo(place) && !isThere) this.goTo(message.at);
  }

  private follow(move: Move): void {
    const { message } = this;
    if (!message || !("bar" in message) || message.bar !== move.bar) return;
    move.views += 1;
    if (move.place !== this.place && !this.goTo(move.place)) move.waiting += 1;
  }

  // -> whether what is shown there came with the data.
  private goTo(place: string): boolean {
    const { message } = this;
    if (!message || !("bar" in message) || !Object.hasOwn(message.places, place)) return false;
    this.place = place;
    this.show(message.request, message.bodies[message.places[place]]);
    return true;
  }

  private show(request: Request<View>, { values }: Packed): void {
    const moved = this.settled.adopt(request, this.commit);
    document.documentElement.lang = request.language;
    this.fullScreen?.name(this.labels.full_screen);
    this.panel.show(unpack(values), this.labels, moved);
    if (request.link) this.settled.commitIn();
  }

  // Streamlit has written a link of its own, without what the browser keeps there.
  private readonly onNavigate = (): void => {
    if (this.message?.request.link) this.settled.commitIn();
  };

  // Another page opens. What Python has not heard it hears before: told after, it would bring this page back. And the other
  // page may look for what only the browser has kept in the link, which is then what is always there.
  private readonly onLeave = (event: Event): void => {
    const link = linkToPage(event);
    const { message } = this;
    if (!link || !message) return;
    globalThis.navigation?.removeEventListener("currententrychange", this.onNavigate); // that link is the other page's
    const isLookedFor = message.request.link?.some(({ omit }) => omit === undefined) ?? true;
    if (!isLookedFor) this.settled.wait();
    else if (this.settled.tell()) followLater(link, event);
  };
}
