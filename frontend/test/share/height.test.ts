// The height that a frame reports, to a page that gives it each height it asks for.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { FakeElement } from "../dom.ts";

const ABOVE = 152; // pixels above a picture that fills the rest of the window

let contentIn: (window: number) => number; // height of the window -> height of the page
let later = 0; // pixels that the page grows by at the next resize
let said: number[];
let observers: (() => void)[];
class Observer {
  constructor(look: () => void) {
    observers.push(look);
  }
  observe(): void {}
  disconnect(): void {}
}
const root = new FakeElement("div");
const page = Object.assign(new FakeElement("div"), {
  getBoundingClientRect: () => ({ height: contentIn(innerHeight) }),
});
Object.assign(globalThis, {
  self: {},
  parent: { postMessage: ({ height }: { height: number }) => give(height) },
  location: { search: "?embed=true" },
  ResizeObserver: Observer,
  MutationObserver: Observer,
});
Object.assign(document, { querySelector: (name: string) => (name.includes("script-state") ? root : page) });
const { reportHeight } = await import("../../src/share/height.ts");
const { windowHeight } = await import("../../src/kit/window.ts");

const look = (): void => {
  for (const one of observers) one();
};
function give(height: number): void {
  said.push(height);
  Object.assign(globalThis, { innerHeight: height });
  const [content, more] = [contentIn, later];
  later = 0;
  contentIn = (window) => content(window) + more;
  look();
}
// -> the heights that the frame reports, until it reports no more
function frame(content: (window: number) => number, window: number, more = 0): readonly number[] {
  contentIn = content;
  later = more;
  Object.assign(globalThis, { innerHeight: window });
  const stop = reportHeight();
  for (let n = 0; n < 50; n++) {
    look();
    mock.timers.tick(1000);
  }
  stop();
  return said;
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  document.documentElement.style.setProperty("--vt-window", "");
  root.setAttribute("data-test-script-state", "notRunning");
  observers = [];
  said = [];
});

test("content of its own height is said once", () => {
  assert.deepEqual(
    frame(() => 900, 600),
    [900],
  );
});

test("content that is lower than the frame, too", () => {
  assert.deepEqual(
    frame(() => 300, 600),
    [300],
  );
});

test("a picture as high as the window keeps its height, and does not grow for ever", () => {
  assert.deepEqual(
    frame(() => Math.max(384, windowHeight() - ABOVE) + 400, 600),
    [848],
  );
  assert.equal(windowHeight(), 600);
});

test("what comes in while the frame is resized is said, too: the page fits whatever the pictures do", () => {
  assert.deepEqual(
    frame(() => windowHeight() + 40, 600, 300),
    [640, 940],
  );
  assert.equal(innerHeight, contentIn(innerHeight));
});

test("the first height is kept also where the header is drawn anew", () => {
  frame(() => windowHeight() + 40, 600);
  frame(() => windowHeight() + 40, 640);
  assert.equal(windowHeight(), 600);
});

test("half a page has no height", () => {
  root.setAttribute("data-test-script-state", "running");
  assert.deepEqual(
    frame(() => 900, 600),
    [],
  );
});
