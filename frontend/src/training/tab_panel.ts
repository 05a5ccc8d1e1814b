// The tab keeps who its visitor is, and says so after it was loaded anew; so does the browser, for another tab, while there
// are runs to be found. There is nothing to see.

import type { Panel } from "../kit/component.ts";
import type { Settled } from "../kit/settled.ts";
import { store, stored } from "../kit/stored.ts";

const KEY = "viz-transformer-visitor";

export interface TabView {
  readonly visitor: string | null;
}

export interface TabContent {
  readonly visitor: string;
  readonly asked: string; // the last that the tab said it was, or ""
  readonly has_runs: boolean;
}

export class TabPanel implements Panel<TabContent> {
  private readonly settled: Settled<TabView>;

  constructor(_parent: HTMLElement, settled: Settled<TabView>) {
    this.settled = settled;
  }

  show({ visitor, asked, has_runs }: TabContent): void {
    const was = sessionStorage.getItem(KEY) ?? stored(KEY);
    if (was && was !== visitor && was !== asked) {
      this.settled.change({ visitor: was });
      this.settled.commitIn(0);
    } else sessionStorage.setItem(KEY, visitor);
    if (has_runs) store(KEY, visitor);
  }

  remove(): void {}
}
