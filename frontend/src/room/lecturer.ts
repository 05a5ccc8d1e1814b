// What a lecturer's page tells a room: its address, and where its views are before the link says so.

import { hearChanged } from "../kit/remote_view.ts";
import { isRunning } from "../kit/streamlit.ts";
import { isElsewhere } from "./address.ts";
import type { Lead } from "./state.ts";

const OFTEN = 50; // milliseconds between two messages about views
const LONGEST = 36_000; // characters of an address, as the server takes it
const QUIET = 100; // a run writes the link piece by piece
const OURS = "[data-testid=room]";

export class Lecturer {
  readonly #addressNow: () => string;
  readonly #say: (lead: Lead) => void;
  readonly #changed: () => void;
  readonly #stops: readonly (() => void)[];
  #address: string | null = null; // as said last
  #views: Record<string, object> = {};
  #isMoved = false; // a view has moved: the link will say so, too
  #isTouched = false; // something was pressed, perhaps a control, whose run changes the link
  #sent = -Infinity;
  #viewsLater: ReturnType<typeof setTimeout> | undefined;
  #addressLater: ReturnType<typeof setTimeout> | undefined;

  // `changed`: called when `isTooLong` may have changed.
  constructor(addressNow: () => string, say: (lead: Lead) => void, changed: () => void = () => {}) {
    this.#addressNow = addressNow;
    this.#say = say;
    this.#changed = changed;
    const hearing = new AbortController();
    const { signal } = hearing;
    for (const name of ["pointerdown", "keydown"]) {
      document.addEventListener(name, this.#onTouch, { capture: true, signal });
    }
    addEventListener("popstate", this.#onHistory, { signal });
    globalThis.navigation?.addEventListener("currententrychange", this.#onNavigate, { signal });
    this.#stops = [() => hearing.abort(), hearChanged((key, view) => this.#move(key, view))];
  }

  // The address holds the texts, which may be too long for a room: then the class stays where it is.
  get isTooLong(): boolean {
    return (this.#address?.length ?? 0) > LONGEST;
  }

  // Called on joining, also again. `known`: the room's address. A new tab does not move the class, as another may lead.
  begin(known: string, isNewTab: boolean): void {
    const now = this.#addressNow();
    if (this.#address === null && known && (isNewTab || known === now)) this.#address = now;
    else if (this.#address !== known) this.#sayAddress(true);
    else if (Object.keys(this.#views).length) this.#say({ views: this.#views });
  }

  // Called after a run: the page's language may have changed, which its link need not say.
  look(): void {
    this.#onNavigate();
  }

  stop(): void {
    clearTimeout(this.#viewsLater);
    clearTimeout(this.#addressLater);
    for (const stop of this.#stops) stop();
  }

  #move(key: string, view: object): void {
    this.#views[key] = view;
    this.#isMoved = true;
    clearTimeout(this.#viewsLater);
    this.#viewsLater = setTimeout(() => this.#sayViews(), Math.max(0, this.#sent + OFTEN - performance.now()));
  }

  #sayViews(): void {
    if (this.isTooLong) return;
    this.#sent = performance.now();
    this.#say({ views: this.#views });
  }

  #sayAddress(isRun: boolean): void {
    this.#address = this.#addressNow();
    this.#isMoved = this.#isTouched = false;
    this.#changed();
    if (this.isTooLong) return;
    if (!isRun) {
      this.#say({ address: this.#address, run: false });
      return;
    }
    clearTimeout(this.#viewsLater);
    this.#views = {}; // of what was shown before
    this.#say({ address: this.#address, run: true, views: {} });
  }

  // Another page or text is told at once, unless a run is on its way, which may still change the link. Anything else
  // waits: the link may only say what a view has told already, or what a run added to it, and then the class needs no
  // run.
  readonly #onNavigate = (): void => {
    clearTimeout(this.#addressLater);
    if (this.#address === null || this.#addressNow() === this.#address) return;
    if (isElsewhere(this.#addressNow(), this.#address) && !isRunning()) this.#sayAddress(true);
    else this.#settleLater();
  };

  #settleLater(): void {
    clearTimeout(this.#addressLater);
    this.#addressLater = setTimeout(() => this.#settle(), QUIET);
  }

  #settle(): void {
    const now = this.#addressNow();
    if (this.#address === null || now === this.#address) return;
    this.#sayAddress(isElsewhere(now, this.#address) || (this.#isTouched && !this.#isMoved));
  }

  // Back or Forward: the link leads now, and the views that were told no longer hold.
  readonly #onHistory = ({ isTrusted }: Event): void => {
    if (!isTrusted) return;
    this.#isTouched = true;
    this.#isMoved = false;
    if (Object.keys(this.#views).length === 0) return;
    this.#address = ""; // so that the link is told again: it may never have said where the views were
    this.#settleLater();
  };

  readonly #onTouch = (event: Event): void => {
    const isOurs = event.composedPath().some((node) => node instanceof Element && node.matches(OURS));
    if (event.isTrusted && !isOurs) this.#isTouched = true;
  };
}
