// A component's view, and when Python hears of it. The counterpart of component.py.

import { keepInLink, type Parameter } from "./link.ts";

export const REST = 250; // milliseconds without a change before Python hears of the view

// Component key -> what was on the screen, should Streamlit mount it anew.
export type LastViews<View> = Map<string, { readonly revision: string; readonly view: View }>;
export type Commit<View> = (view: View & { revision: string }) => void;

export interface Asked<View> {
  readonly key: string;
  readonly revision: string;
  readonly view: View;
  readonly link?: readonly Parameter[]; // written by the browser itself; Python then hears only what it is told
}

export class ViewState<View extends object> {
  view!: View; // from the first `adopt` on
  before: View | null = null; // where a person had gone to when Python last moved the view
  key = ""; // of the component
  onChange: (key: string, view: View) => void = () => {}; // when a person goes elsewhere
  readonly #lastViews: LastViews<View>;
  #revision: string | null = null;
  #link: readonly Parameter[] | undefined;
  #commit: Commit<View> = () => {};
  #committed = "";
  told = -Infinity; // when Python heard of it last
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(lastViews: LastViews<View>) {
    this.#lastViews = lastViews;
  }

  // Called with every new data and theme -> whether the view went elsewhere: only a new revision moves it.
  //
  // `isAgain`: another session shows the same, since the one before it is gone, with its server say. Where a person is by
  // now, only the browser knows.
  adopt({ key, revision, view, link }: Asked<View>, commit: Commit<View>, isAgain = false): boolean {
    this.key = key;
    this.#commit = commit;
    this.#link = link;
    if (revision === this.#revision) return false;
    this.wait();
    this.#revision = revision;
    if (isAgain) {
      this.#committed = JSON.stringify(view);
      this.lead(this.view);
      this.commitIn();
      return false;
    }
    const last = this.#lastViews.get(key);
    this.before = last?.view ?? null;
    this.view = last?.revision === revision ? last.view : view;
    this.#committed = JSON.stringify(this.view);
    return true;
  }

  change(part: Partial<View>): void {
    this.lead({ ...this.view, ...part });
    this.onChange(this.key, this.view);
  }

  // To where somebody else leads.
  lead(view: View): void {
    this.view = view;
    if (this.#revision !== null) this.#lastViews.set(this.key, { revision: this.#revision, view });
  }

  commitIn(rest = REST): void {
    this.wait();
    const settle = () => {
      if (this.#link) this.keepInLink();
      else this.#send();
    };
    if (rest) this.#timer = setTimeout(settle, rest);
    else settle();
  }

  wait(): void {
    clearTimeout(this.#timer);
  }

  // At once, also where the browser keeps the link: for what only Python can work out. Its run knows what it is told; the
  // link that Streamlit knows has nothing of what the browser wrote there.
  // -> whether there was something to tell.
  tell(): boolean {
    this.wait();
    this.keepInLink();
    return this.#send();
  }

  // Nothing, where Python keeps the link.
  keepInLink(): void {
    if (this.#link) keepInLink(this.view, this.#link);
  }

  #send(): boolean {
    if (this.#revision === null || JSON.stringify(this.view) === this.#committed) return false;
    this.told = performance.now();
    this.#committed = JSON.stringify(this.view);
    this.#commit({ ...this.view, revision: this.#revision });
    return true;
  }
}
