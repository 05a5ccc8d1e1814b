// The steps of the browser's history: which writes of the address begin one. Tests write as Streamlit and views do.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { keepSteps, type Step } from "../src/kit/steps.ts";

class Key extends Event {
  readonly key: string;
  readonly on: EventTarget;
  constructor(key: string, on: EventTarget) {
    super("keydown");
    this.key = key;
    this.on = on;
  }
  override composedPath(): EventTarget[] {
    return [this.on];
  }
}

const FIELD = new EventTarget();
let entries: string[]; // of the history, up to the one that is shown
let state: string; // what the server does, as Streamlit's root says
let page: EventTarget;
let watching: Map<() => void, MutationObserverInit>; // the observers of that state, and of what the page holds

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  watching = new Map();
  entries = ["/overview"];
  state = "notRunning";
  page = new EventTarget();
  const here = () => new URL(entries.at(-1) as string, "http://x");
  Object.assign(globalThis, {
    document: { querySelector: () => ({ getAttribute: () => state }) },
    MutationObserver: class {
      private readonly changed: () => void;
      constructor(changed: () => void) {
        this.changed = changed;
      }
      observe(_root: unknown, watched: MutationObserverInit): void {
        watching.set(this.changed, watched);
      }
      disconnect(): void {
        watching.delete(this.changed);
      }
    },
    addEventListener: page.addEventListener.bind(page),
    location: {
      get href() {
        return here().href;
      },
      get pathname() {
        return here().pathname;
      },
    },
    history: {
      pushState: (_: unknown, __: string, url: string) => void entries.push(url),
      replaceState: (_: unknown, __: string, url: string) => void entries.splice(-1, 1, url),
    },
  });
  keepSteps();
});

function act(event = new Event("pointerdown")): void {
  Object.defineProperty(event, "isTrusted", { value: true });
  page.dispatchEvent(event);
}
function run(now: "running" | "notRunning"): void {
  state = now;
  for (const changed of [...watching.keys()]) changed();
}
// What a run wrote stands on the page.
function show(): void {
  for (const [changed, watched] of [...watching]) if (watched.childList && watched.subtree) changed();
}
const press = (key: string, on = FIELD) => act(new Key(key, on));
const message = (url: string) => history.pushState({}, "", url); // a run's, as Streamlit writes it
const control = (url: string) => history.replaceState({}, "", url); // of a control that is bound to the address
const ask = (step: Step, url: string) => history.pushState({ step }, "", url);

test("what an act changes is one step, however many write it", () => {
  act();
  control("/overview?source=a");
  message("/overview?source=a&layer=1");
  message("/overview?source=a&layer=1&head=1");
  run("running");
  run("notRunning");
  act();
  message("/overview?source=a&layer=2&head=1");
  message("/overview?source=a&layer=2&head=2");
  assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1&head=1", "/overview?source=a&layer=2&head=2"]);
});

test("what nobody did is no step: a page adds to its address what it shows", () => {
  message("/overview?model=en-de");
  control("/overview?model=en-de&step=2");
  assert.deepEqual(entries, ["/overview?model=en-de&step=2"]);
});

test("what a script does is no act", () => {
  page.dispatchEvent(new Event("pointerdown"));
  message("/overview?model=en-de");
  assert.deepEqual(entries, ["/overview?model=en-de"]);
});

test("where nothing changes there is no step, and the act still counts", () => {
  act();
  message("/overview");
  message("/overview?layer=1");
  assert.deepEqual(entries, ["/overview", "/overview?layer=1"]);
});

for (const begun of [true, false]) {
  test(`what a run that has ${begun ? "" : "not "}begun says after the next act is of the step before`, () => {
    act();
    control("/overview?source=a");
    if (begun) run("running");
    act();
    message("/overview?source=a&layer=1");
    assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1"]);
    run("running");
    run("notRunning");
    act();
    message("/overview?source=a&layer=2");
    assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1", "/overview?source=a&layer=2"]);
  });
}

test("where no run comes the next act counts, after a while", () => {
  act();
  control("/overview?source=a");
  mock.timers.tick(1000);
  act();
  message("/overview?source=a&layer=1");
  assert.deepEqual(entries, ["/overview", "/overview?source=a", "/overview?source=a&layer=1"]);
});

test("a run that was over before anybody saw that it ran is answered once it has spoken", () => {
  act();
  control("/overview?source=a");
  act();
  message("/overview?source=a&layer=1");
  mock.timers.tick(100);
  act();
  message("/overview?source=a&layer=2");
  assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1", "/overview?source=a&layer=2"]);
});

test("a page that was there before anybody saw that its run ran is answered", () => {
  act();
  ask("new", "/heads");
  page.dispatchEvent(new Event("popstate")); // has Streamlit open that page
  state = "running";
  show();
  act();
  message("/heads?layer=1"); // of the run that is still on
  state = "notRunning";
  show();
  act();
  message("/heads?layer=2");
  assert.deepEqual(entries, ["/overview", "/heads?layer=1", "/heads?layer=2"]);
});

test("on the page that is shown, a run is not over because something stands there", () => {
  act();
  control("/overview?source=a");
  show();
  act();
  message("/overview?source=a&layer=1");
  assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1"]);
});

test("what a run still says during the next act is of the step before", () => {
  act();
  control("/overview?source=a");
  state = "running";
  act(); // somewhere, or the next choice
  message("/overview?source=a&layer=1");
  assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1"]);
  control("/overview?source=b&layer=1");
  assert.deepEqual(entries, ["/overview", "/overview?source=a&layer=1", "/overview?source=b&layer=1"]);
});

test("an act before the run counts, whatever is pressed during it", () => {
  act();
  state = "running";
  act();
  message("/overview?layer=1");
  assert.deepEqual(entries, ["/overview", "/overview?layer=1"]);
});

test("another page is a step, also while a run is on its way", () => {
  state = "running";
  act();
  message("/heads");
  assert.deepEqual(entries, ["/overview", "/heads"]);
});

test("arrow keys in one place are one step", () => {
  for (const layer of [1, 2, 3]) {
    press("ArrowRight");
    message(`/overview?layer=${layer}`);
    run("notRunning");
  }
  press("ArrowDown", new EventTarget());
  message("/overview?layer=3&head=2");
  run("notRunning");
  press("ArrowRight");
  message("/overview?layer=4&head=2");
  run("notRunning");
  press("Enter");
  message("/overview?layer=5&head=2");
  run("notRunning");
  press("Enter");
  message("/overview?layer=6&head=2");
  assert.deepEqual(
    entries.map((entry) => entry.replace("/overview", "")),
    ["", "?layer=3", "?layer=3&head=2", "?layer=4&head=2", "?layer=5&head=2", "?layer=6&head=2"],
  );
});

test("a page that is asked for is answered by its run, however late that comes", () => {
  act();
  ask("new", "/heads");
  mock.timers.tick(999);
  act();
  message("/heads?layer=1");
  assert.deepEqual(entries, ["/overview", "/heads?layer=1"]);
});

test("who asks for a step gets one, and who asks for none, none", () => {
  ask("new", "/heads");
  act();
  ask("same", "/heads?room=a");
  message("/heads?room=a&layer=1"); // the act before does not make this a step
  assert.deepEqual(entries, ["/overview", "/heads?room=a&layer=1"]);
});

test("what follows a step of the history is of that step", () => {
  press("ArrowLeft"); // with Alt, which is Back
  page.dispatchEvent(new Event("popstate"));
  message("/overview?model=en-de");
  assert.deepEqual(entries, ["/overview?model=en-de"]);
});
