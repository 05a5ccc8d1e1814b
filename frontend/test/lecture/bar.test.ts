// A lecture as one goes through it: the scene above a page, its keys, and the notes in another window.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Settled } from "../../src/kit/settled.ts";
import { FakeElement, labels, parent } from "../dom.ts";

type Said = { at?: number; by?: number; asks?: boolean };
const windows = new Set<FakeChannel>(); // of one browser
class FakeChannel {
  onmessage: ((event: { data: Said }) => void) | null = null;
  readonly name: string;
  constructor(name: string) {
    this.name = name;
    windows.add(this);
  }
  postMessage(data: Said): void {
    for (const other of windows) if (other !== this && other.name === this.name) other.onmessage?.({ data });
  }
  close(): void {
    windows.delete(this);
  }
}
const stored = new Map<string, string>();
const here = { href: "" };
const went: string[] = [];
const events = new EventTarget();
let opened = "";
Object.assign(globalThis, {
  BroadcastChannel: FakeChannel,
  Element: FakeElement,
  location: here,
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
  },
  history: {
    pushState: (_state: unknown, _title: string, address: string) => {
      here.href = address;
      went.push(address);
    },
  },
  PopStateEvent: class extends Event {},
  dispatchEvent: (event: Event) => events.dispatchEvent(event),
  window: Object.assign(events, {
    open: (address: string) => {
      opened = address;
    },
  }),
});
Object.assign(document, { body: new FakeElement("body"), activeElement: null });
const { SceneBar } = await import("../../src/lecture/bar.ts");
const { NotesPanel } = await import("../../src/lecture/notes.ts");
const { addressOf } = await import("../../src/kit/go.ts");

const scene = (title: string) => ({ title, question: `${title}?`, note: `ask ${title}`, light: ["key"] });
const LECTURE = {
  lecture: "mine",
  title: "Mine",
  scenes: [scene("one"), scene("two")],
  places: [
    { scene: 0, step: 0, href: "attention?stage=scores&scene=1" },
    { scene: 0, step: 1, href: "attention?stage=scale&scene=1.2" },
    { scene: 1, step: 0, href: "masks?scene=2" },
  ],
};
let fake: FakeElement;
let bar: InstanceType<typeof SceneBar>;
let settled: Settled<{ at: number }>;

// Python's answer: it shows this place.
function answer(at: number): void {
  const moved = settled.adopt({ key: "scene", revision: `r${at}`, view: { at } }, () => {});
  bar.show(LECTURE, labels(), moved);
}
function press(key: string, more: object = {}): Event {
  const event = new Event("keydown", { cancelable: true });
  for (const [name, value] of Object.entries({ key, composedPath: () => [], ...more })) {
    Object.defineProperty(event, name, { value });
  }
  document.dispatchEvent(event);
  return event;
}
const title = () => fake.byId("scene-title").textContent;
const click = (id: string) => fake.byId(id).onclick?.({});

beforeEach(() => {
  bar?.remove();
  stored.clear();
  went.length = 0;
  opened = "";
  here.href = "http://a/app/attention?lecture=mine&scene=1&lang=zh";
  const place = parent();
  fake = place.fake;
  settled = new Settled(new Map());
  bar = new SceneBar(place.element, settled);
  answer(0);
});

test("a link keeps the language and whether one presents, and says the rest itself", () => {
  assert.equal(
    addressOf("masks?scene=2", "http://a/app/attention?lang=zh&present=1&x=1"),
    "http://a/app/masks?scene=2&lang=zh&present=1",
  );
  assert.equal(addressOf("", "http://a/app/attention"), "http://a/app/");
  assert.equal(addressOf("masks?lang=en", "http://a/?lang=zh"), "http://a/masks?lang=en");
});

test("the next place is shown at once, and the page follows by its link", () => {
  click("scene-next");
  assert.deepEqual(went, ["http://a/app/attention?stage=scale&scene=1.2&lang=zh&lecture=mine"]);
  click("scene-next");
  assert.equal(title(), "two");
  assert.equal(stored.get("viz lecture mine"), "2");
  click("scene-next");
  assert.equal(went.at(-1), "http://a/app/?lecture=mine&lang=zh"); // after the last one, the path
});

test("an answer to an earlier place does not lead back; Back does", () => {
  click("scene-next");
  click("scene-next");
  answer(1);
  assert.equal(title(), "two");
  answer(2);
  events.dispatchEvent(new Event("popstate"));
  answer(1);
  assert.equal(title(), "one");
});

test("the arrows belong to the page, until one presents", () => {
  assert.equal(press("ArrowRight").defaultPrevented, false);
  press("PageDown");
  assert.deepEqual(went, []);
  press("p");
  assert.match(went[0], /present=1/);
  for (const key of ["ArrowRight", "PageDown"]) press(key);
  assert.equal(title(), "two");
  for (const key of ["ArrowUp", "PageUp"]) press(key);
  assert.equal(title(), "one");
  press("Escape");
  assert.doesNotMatch(went.at(-1) ?? "", /present/);
});

test("a dark screen comes back by any key of the lecture, which does nothing else", () => {
  press("p");
  const black = () => (document.body as unknown as FakeElement).classed("vt-black")[0];
  press("b");
  assert.equal(black().hidden, false);
  press("PageDown");
  assert.equal(black().hidden, true);
  assert.equal(title(), "one");
});

test("what is typed into a field is no key of the lecture", () => {
  const field = Object.assign(new FakeElement("input"), { matches: () => true });
  press("p", { composedPath: () => [field] });
  press("n", { ctrlKey: true });
  assert.deepEqual([went.length, opened], [0, ""]);
});

test("notes stay in step, and move the lecture", () => {
  press("n");
  assert.equal(opened, "http://a/app/?notes=1&lecture=mine&scene=1.1&lang=zh");
  const other = parent();
  const notes = new NotesPanel(other.element, new Settled<{ at: number }>(new Map()));
  const asked = { key: "notes", revision: "n", view: { at: 2 } };
  Reflect.get(notes, "settled").adopt(asked, () => {});
  notes.show(LECTURE, labels({ coming: "{title} comes" }), true); // opened by an older link
  assert.equal(other.fake.byId("notes-note").textContent, "ask one");
  assert.equal(other.fake.byId("notes-coming").textContent, "two comes");
  click("scene-next");
  click("scene-next");
  assert.equal(other.fake.byId("notes-title").textContent, "two");
  assert.equal(other.fake.byId("notes-coming").textContent, "last");
  other.fake.byId("notes-previous").onclick?.({});
  assert.equal(title(), "one");
  notes.remove();
});

test("a scene lights what it is about, and at its end nothing is lit", () => {
  assert.equal(document.documentElement.dataset.vtScene, "key");
  bar.remove();
  assert.equal(document.documentElement.dataset.vtScene, "");
});
