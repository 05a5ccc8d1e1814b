// The stage: what is presented is laid out for one height, and enlarged to the screen.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const style = new Map<string, string>();
const classes = new Set<string>();
const screen = Object.assign(new EventTarget(), { innerHeight: 720 });
Object.defineProperty(globalThis, "innerHeight", { get: () => screen.innerHeight });
Object.assign(globalThis, {
  addEventListener: screen.addEventListener.bind(screen),
  removeEventListener: screen.removeEventListener.bind(screen),
  document: {
    documentElement: {
      classList: {
        contains: (name: string) => classes.has(name),
        toggle: (name: string, isOn: boolean) => (isOn ? classes.add(name) : classes.delete(name)),
      },
      style: {
        getPropertyValue: (name: string) => style.get(name) ?? "",
        setProperty: (name: string, value: string) => void style.set(name, value),
        removeProperty: (name: string) => void style.delete(name),
      },
    },
  },
});
const { isOnStage, roomFor, setStage, windowHeight } = await import("../src/kit/window.ts");

beforeEach(() => setStage(false));

test("on the stage every screen is as high, and is enlarged to what it is", () => {
  setStage(true);
  for (const height of [720, 1080, 2160]) {
    screen.innerHeight = height;
    screen.dispatchEvent(new Event("resize"));
    assert.deepEqual([windowHeight(), Number(style.get("--vt-zoom"))], [540, height / 540]);
  }
  setStage(false);
  screen.dispatchEvent(new Event("resize"));
  assert.deepEqual([isOnStage(), style.size, windowHeight()], [false, 0, 2160]);
});

test("a picture has what its page leaves of the window, and on the stage all but what is its own", () => {
  screen.innerHeight = 720;
  assert.deepEqual([roomFor(260, 360, 100), roomFor(600, 360, 100)], [460, 360]);
  setStage(true);
  assert.deepEqual([roomFor(260, 360, 100), roomFor(600, 360, 0)], [325, 425]);
});
