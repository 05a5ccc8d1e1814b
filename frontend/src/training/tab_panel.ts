// The tab keeps who its visitor is, and says so after it was loaded anew. There is nothing to see.

import type { Panel } from "../kit/component.ts";
import type { Settled } from "../kit/settled.ts";

const KEY = "viz-transformer-visitor";

export interface TabView {
  readonly visitor: string | null;
}

export interface TabContent {
  readonly visitor: string;
  readonly asked: string; // the last that the tab said it was, or ""
}

export class TabPanel implements Panel<TabContent> {
  private readonly settled: Settled<TabView>;

  constructor(_parent: HTMLElement, settled: Settled<TabView>) {
    this.settled = settled;
  }

  show({ visitor, asked }: TabContent): void {
    const was = sessionStorage.getItem(KEY);
    if (was && was !== visitor && was !== asked) {
      this.settled.change({ visitor: was });
      this.settled.commitIn(0);
    } else sessionStorage.setItem(KEY, visitor);
  }

  remove(): void {}
}
