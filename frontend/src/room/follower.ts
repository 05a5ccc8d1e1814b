// A student's page follows the lecturer's: views at once, in the browser; a run only for another page, model or text. A
// student who does something else lets go, and explores until they come back.

import { addressOf, go } from "../kit/go.ts";
import { hearChanged, hearShown, lead } from "../kit/remote_view.ts";
import { isRunning } from "../kit/streamlit.ts";
import type { State } from "./state.ts";

const REST = 250; // milliseconds until Python hears where a view was led
const EACH = 50; // milliseconds that the server needs for one student
const CHECK = 2500; // milliseconds until the link should say the same as the lecturer's
const RECENT = 3000; // milliseconds after a press in which a change is put down to it
const CONTROLS = "a, button, input, textarea, select, label, summary, [role=radio], [role=option], [role=slider]";
const OURS = "[data-testid=room], .st-key-predict, .st-key-vt-language";

export class Follower {
  readonly #addressNow: () => string;
  readonly #changed: () => void;
  readonly #stops: readonly (() => void)[];
  #state: State | null = null;
  #members = 1;
  #hasLetGo = false;
  #touched = -Infinity;
  #pressed = -Infinity;
  #later: ReturnType<typeof setTimeout> | undefined;
  #checked = -1; // the seq of the state that was checked last

  constructor(addressNow: () => string, changed: () => void) {
    this.#addressNow = addressNow;
    this.#changed = changed;
    const hearing = new AbortController();
    const { signal } = hearing;
    for (const name of ["pointerdown", "keydown"]) {
      document.addEventListener(name, this.#onTouch, { capture: true, signal });
    }
    addEventListener("popstate", this.#onHistory, { signal });
    globalThis.navigation?.addEventListener("currententrychange", this.#onNavigate, { signal });
    this.#stops = [() => hearing.abort(), hearChanged(() => this.#onChanged()), hearShown((key) => this.#show(key))];
  }

  get isFollowing(): boolean {
    return this.#state?.mode === "follow" && !this.#hasLetGo;
  }

  // Takes the whole state of the room. `members`: how many follow; the more, the further they spread out in time.
  join(state: State, members: number): void {
    this.#members = Math.max(1, members);
    this.#state = state;
    this.#follow();
  }

  take(part: Partial<State>): void {
    if (!this.#state) return;
    this.#state = { ...this.#state, ...part };
    if (part.mode) {
      if (part.mode === "follow") this.#hasLetGo = false; // everybody comes back
      this.#follow();
    } else if (part.address !== undefined && part.run) this.#follow(true);
    else {
      if (part.views) for (const key of Object.keys(part.views)) this.#show(key);
      if (part.address !== undefined) this.#checkLater();
    }
  }

  letGo(hasLetGo: boolean): void {
    if (hasLetGo === this.#hasLetGo) return;
    this.#hasLetGo = hasLetGo;
    if (!hasLetGo) this.#follow();
    this.#changed();
  }

  stop(): void {
    clearTimeout(this.#later);
    for (const stop of this.#stops) stop();
  }

  // `isRun`: runs the page even with the same link: a view may have been led elsewhere, which the link says only later.
  #follow(isRun = false): void {
    const state = this.#state;
    if (!state || !this.isFollowing || !state.address) return;
    clearTimeout(this.#later);
    if (!isRun && this.#addressNow() === state.address) for (const key of Object.keys(state.views)) this.#show(key);
    else this.#open(state.address); // its panels are led to their views as they appear
  }

  #open(address: string): void {
    this.#pressed = this.#touched = -Infinity;
    go(addressOf(address), true);
  }

  // Python hears of it later, at a random moment: not of the whole class at once.
  #show(key: string): void {
    const view = this.isFollowing ? this.#state?.views[key] : undefined;
    if (view) lead({ key, view, rest: REST + Math.random() * EACH * this.#members });
  }

  // Opens the lecturer's link if the student's page has not written the same one by then. Only once for each state:
  // what differs even then would not change.
  #checkLater(): void {
    clearTimeout(this.#later);
    const check = (): void => {
      const state = this.#state;
      if (!state || !this.isFollowing || this.#checked === state.seq) return;
      if (isRunning()) {
        this.#checkLater();
        return;
      }
      this.#checked = state.seq;
      if (this.#addressNow() !== state.address) this.#open(state.address);
    };
    this.#later = setTimeout(check, CHECK + Math.random() * 2 * EACH * this.#members);
  }

  #onChanged(): void {
    if (this.isFollowing && performance.now() - this.#touched < RECENT) this.letGo(true);
  }

  readonly #onTouch = (event: Event): void => {
    if (!event.isTrusted) return;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((node) => node.matches(OURS))) return;
    this.#touched = performance.now();
    if (path.some((node) => node.matches(CONTROLS))) this.#pressed = this.#touched;
  };

  readonly #onNavigate = (): void => {
    if (!this.isFollowing || performance.now() - this.#pressed > RECENT) return;
    if (this.#addressNow() !== this.#state?.address) this.letGo(true);
  };

  readonly #onHistory = ({ isTrusted }: Event): void => {
    if (isTrusted && this.isFollowing) this.letGo(true);
  };
}
