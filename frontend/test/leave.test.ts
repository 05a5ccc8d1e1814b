import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { followLater, linkToPage } from "../src/kit/leave.ts";

let clicked: number;
let state: string; // what the server does, as Streamlit's root says
let changed: () => void;
const link = {
  click: () => {
    clicked += 1;
  },
} as HTMLElement;

class Target {
  private readonly found: HTMLElement | null;
  constructor(found: HTMLElement | null) {
    this.found = found;
  }
  closest(): HTMLElement | null {
    return this.found;
  }
}
function click(found: HTMLElement | null, keys: object = {}): Event {
  const event = new Event("click", { cancelable: true });
  const properties = { target: new Target(found), ...keys };
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(event, name, { value });
  return event;
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  clicked = 0;
  state = "notRunning";
  Object.assign(globalThis, {
    Element: Target,
    document: { querySelector: () => ({ getAttribute: () => state }) },
    MutationObserver: class {
      private isWatching = false;
      constructor(then: () => void) {
        changed = () => this.isWatching && then();
      }
      observe(): void {
        this.isWatching = true;
      }
      disconnect(): void {
        this.isWatching = false;
      }
    },
  });
});

test("a link of the navigation is one that opens here", () => {
  assert.equal(linkToPage(click(link)), link);
  assert.equal(linkToPage(click(null)), null);
  for (const key of ["ctrlKey", "metaKey", "shiftKey"]) assert.equal(linkToPage(click(link, { [key]: true })), null);
});

test("it is followed once, after the run", () => {
  const event = click(link);
  followLater(link, event);
  assert.equal(event.defaultPrevented, true);
  state = "running";
  changed();
  assert.equal(clicked, 0);
  state = "notRunning";
  changed();
  changed();
  mock.timers.tick(5000);
  assert.equal(clicked, 1);
});

test("where no run comes it is followed all the same", () => {
  followLater(link, click(link));
  mock.timers.tick(999);
  assert.equal(clicked, 0);
  mock.timers.tick(1);
  assert.equal(clicked, 1);
});

test("of two components on a page one follows it", () => {
  const event = click(link);
  followLater(link, event);
  followLater(link, event);
  mock.timers.tick(5000);
  assert.equal(clicked, 1);
});
