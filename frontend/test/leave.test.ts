import assert from "node:assert/strict";
import { beforeEach, mock, type TestContext, test } from "node:test";
import { LEAVES, type Leaving, pageAddress, watchNavigation } from "../src/kit/leave.ts";

const READS = "model=copy&source=1+2&target=2+1&module=cross&layer=2&head=3";

test("what pages have in common comes along, and what stays; nothing else", () => {
  const from = `http://x/app/heads?${READS}&lang=zh&room=ab&view=lens&scene=3`;
  assert.equal(pageAddress("http://x/app/scaling", from), `http://x/app/scaling?lang=zh&room=ab&${READS}`);
  assert.equal(pageAddress("/app/decoding?old=1", from), `http://x/app/decoding?lang=zh&room=ab&${READS}`);
});

test("what is gone from the address does not come along", () => {
  pageAddress("http://x/heads", `http://x/overview?${READS}`);
  assert.equal(pageAddress("http://x/heads", "http://x/overview?model=copy"), "http://x/heads?model=copy");
});

test("the home page's address has none of it, and beyond it comes again", () => {
  assert.equal(pageAddress("http://x/", `http://x/overview?${READS}&lang=zh`), "http://x/?lang=zh");
  assert.equal(pageAddress("http://x/heads", "http://x/?lang=zh"), `http://x/heads?lang=zh&${READS}`);
});

let opened: string[];
let closed: number; // menus and drawers
let state: string; // what the server does, as Streamlit's root says
let line: string; // the state of its connection, likewise
let changed: () => void;
const saysOf = (selector: string) => () => (selector.includes("connection") ? line : state);
const linkOf = (testId: string, href: string) => ({ href, testId });
type Link = ReturnType<typeof linkOf>;

class Target {
  private readonly found: Link | null;
  constructor(found: Link | null) {
    this.found = found;
  }
  closest(selector: string): Link | null {
    return this.found && selector.includes(this.found.testId) ? this.found : null;
  }
}

function click(found: Link | null, keys: object = {}, type = "click"): Event {
  const event = new Event(type, { cancelable: true });
  for (const [name, value] of Object.entries({ target: new Target(found), ...keys }))
    Object.defineProperty(event, name, { value });
  document.dispatchEvent(event);
  return event;
}

const page = Object.assign(new EventTarget(), {
  querySelector: (selector: string) =>
    selector.includes("stTopNavSection") ? { click: () => void (closed += 1) } : { getAttribute: saysOf(selector) },
});
Object.assign(globalThis, { document: page });
const windowHears = new Map<string, () => void>();
Object.assign(globalThis, { addEventListener: (name: string, hearer: () => void) => windowHears.set(name, hearer) });
watchNavigation();

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  [opened, closed, state, line] = [[], 0, "notRunning", "CONNECTED"];
  Object.assign(globalThis, {
    Element: Target,
    location: { href: `http://x/overview?${READS}` },
    history: { pushState: (_: unknown, __: string, url: string) => void opened.push(url) },
    dispatchEvent: () => true,
    PopStateEvent: class extends Event {},
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

test("a link of the navigation opens the page with what comes along, and closes the menu or drawer it is in", () => {
  for (const testId of ["stTopNavLink", "stTopNavDropdownLink", "stSidebarNavLink"]) {
    [opened, closed] = [[], 0];
    assert.ok(click(linkOf(testId, "http://x/heads")).defaultPrevented);
    assert.deepEqual([opened, closed], [[`http://x/heads?${READS}`], 1]);
  }
});

test("any other click is left alone", () => {
  assert.ok(!click(null).defaultPrevented);
  assert.deepEqual(opened, []);
});

test("the browser opens the same elsewhere", () => {
  for (const key of ["ctrlKey", "metaKey", "shiftKey", ""]) {
    const link = linkOf("stTopNavLink", "http://x/heads");
    const event = key ? click(link, { [key]: true }) : click(link, {}, "auxclick");
    assert.ok(!event.defaultPrevented);
    assert.ok(event.cancelBubble); // Streamlit does not hear it
    assert.equal(link.href, `http://x/heads?${READS}`);
    click(link, { ctrlKey: true });
    assert.equal(link.href, `http://x/heads?${READS}`);
  }
  assert.deepEqual(opened, []);
});

test("it waits for a run that writes the address, not for ever", () => {
  const waits = (event: Event) => {
    (event as CustomEvent<Leaving>).detail.waits = true;
  };
  document.addEventListener(LEAVES, waits);
  click(linkOf("stTopNavLink", "http://x/heads"));
  state = "running";
  changed();
  assert.deepEqual(opened, []);
  Object.assign(location, { href: "http://x/overview?layer=7" });
  state = "notRunning";
  changed();
  changed();
  mock.timers.tick(5000);
  assert.deepEqual(opened, ["http://x/heads?layer=7"]);
  click(linkOf("stTopNavLink", "http://x/heads"));
  mock.timers.tick(999);
  assert.equal(opened.length, 1);
  mock.timers.tick(1);
  assert.equal(opened.length, 2);
  document.removeEventListener(LEAVES, waits);
});

test("a page that is opened while the line is lost is asked for once it is back", (context: TestContext) => {
  let asked = 0; // as Streamlit hears it
  Object.assign(globalThis, {
    dispatchEvent: () => {
      asked += 1;
      windowHears.get("popstate")?.();
    },
  });
  context.after(() => Object.assign(globalThis, { dispatchEvent: () => true }));
  line = "PINGING_SERVER";
  click(linkOf("stTopNavLink", "http://x/heads"));
  changed();
  assert.deepEqual([opened.length, asked], [1, 1]);
  line = "CONNECTED";
  changed();
  changed();
  assert.deepEqual([opened.length, asked], [1, 2]);
});
