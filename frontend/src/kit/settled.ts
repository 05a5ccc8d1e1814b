// @ts-nocheck
// A component's view, and when Python hears of it. The counterpart of settled.py.

export const REST = 250; // milliseconds without a change before Python hears of the view

export class Settled {
  // `lastViews`: component key -> {revision, view}, of `mounting`
  constructor(lastViews) {
    this.lastViews = lastViews;
    this.revision = null;
  }

  // Called with every new data and theme -> whether the view went elsewhere: only a new revision moves it.
  adopt({ key, revision, view }, commit) {
    Object.assign(this, { key, commit });
    if (revision === this.revision) return false;
    clearTimeout(this.timer);
    const last = this.lastViews.get(key);
    this.view = last?.revision === revision ? last.view : view;
    this.committed = JSON.stringify(this.view);
    this.revision = revision;
    return true;
  }

  change(change) {
    this.view = { ...this.view, ...change };
    this.lastViews.set(this.key, { revision: this.revision, view: this.view });
  }

  commitIn(rest = REST) {
    this.wait();
    const send = () => {
      if (JSON.stringify(this.view) === this.committed) return;
      this.committed = JSON.stringify(this.view);
      this.commit({ ...this.view, revision: this.revision });
    };
    if (rest) this.timer = setTimeout(send, rest);
    else send();
  }

  wait() {
    clearTimeout(this.timer);
  }
}
