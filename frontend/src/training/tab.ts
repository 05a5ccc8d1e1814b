// Entry point of tab.py: the tab keeps who its visitor is, and says so after it was loaded anew.

import { component } from "../kit/component.ts";

const KEY = "viz-transformer-visitor";

interface Content {
  readonly visitor: string;
  readonly asked: string; // the last that the tab said it was, or ""
}

export default component<{ readonly visitor: string | null }, Content>((_parent, settled) => ({
  show({ visitor, asked }) {
    const was = sessionStorage.getItem(KEY);
    if (was && was !== visitor && was !== asked) {
      settled.change({ visitor: was });
      settled.commitIn(0);
    } else sessionStorage.setItem(KEY, visitor);
  },
  remove() {},
}));
