// A lecture as one goes through it: the scene above a page, its keys, and the notes in another window.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { ViewState } from "../../src/kit/view_state.ts";
import { FakeElement, labels, parent } from "../dom.ts";

type Message = { at?: number; by?: number; asks?: boolean };
const windows = new Set<FakeChannel>(); // of one browser
class FakeChannel {
  onmessage: ((event: { data: Message }) => void) | null = null;
  readonly name: string;
  constructor(name: string) {
    this.name = name;
    windows.add(this);
  }
  postMessage(data: Message): void {
    for (const other of windows) if (other !== this && other.name === this.name) other.onmessage?.({ data });
  }
  close(): void {
    windows.delete(this);
  }
}
const stored = new Map<string, string>();
const here = { href: "" };
const went: string[] = [];
let steps = 0; // that Back takes back
const events = new EventTarget();
let opened = "";
Object.assign(globalThis, {
  BroadcastChannel: FakeChannel,
  Element: FakeElement,
  location: here,
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  },
  history: {
    pushState: (_state: unknown, _title: string, address: string) => {
      here.href = address;
      went.push(address);
      steps += 1;
    },
    replaceState: (_state: unknown, _title: string, address: string) => {
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
const script = { state: "notRunning", getAttribute: () => script.state }; // Streamlit's root, which says what the server does
Object.assign(document, {
  body: new FakeElement("body"),
  activeElement: null,
  querySelector: (selector: string) => (selector.startsWith("[data-test") ? script : null),
});
const { SceneBar } = await import("../../src/lecture/bar.ts");
const { NotesPanel } = await import("../../src/lecture/notes.ts");
const { hearShowCode, setClassroom } = await import("../../src/kit/classroom.ts");
const { addressOf, go } = await import("../../src/kit/go.ts");
const lit = await import("../../src/kit/term_highlight.ts");
const { inThisLanguage, isViewOf, keepPlace, lastPlace } = await import("../../src/lecture/lecture.ts");
const { offerStep } = await import("../../src/lecture/next.ts");
const { PathPanel } = await import("../../src/lecture/path.ts");
const { areControlsShown } = await import("../../src/kit/window.ts");
const { isPresenting } = await import("../../src/lecture/presenting.ts");

const scene = (title: string) => ({
  title,
  question: `${title}?`,
  note: [["", `ask ${title}`]] as const,
  minutes: 7.5,
  light: ["key"],
  explained: [
    ["usual", `${title}!`],
    ["keep", `Keep ${title}.`],
  ] as const,
  proof: ["Line by line", "masks?lesson=causality"] as const,
  exercises: [
    ["look", "Where it looks"],
    ["sharp", "The sharpest"],
  ] as const,
});
const LECTURE = {
  lecture: "mine",
  title: "Mine",
  closing: "",
  scenes: [scene("one"), scene("two")],
  places: [
    { scene: 0, step: 0, href: "attention?stage=scores&scene=1&picture=stages", elsewhere: [], says: "" },
    { scene: 0, step: 1, href: "attention?stage=scale&scene=1.2", elsewhere: [], says: "Half: {reads}" },
    { scene: 1, step: 0, href: "masks?scene=2", elsewhere: [], says: "All of them." },
  ],
};
let fake: FakeElement;
let bar: InstanceType<typeof SceneBar>;
let state: ViewState<{ at: number }>;
let notes: InstanceType<typeof NotesPanel> | undefined;

// Python's answer: it shows this place.
function answer(at: number): void {
  const moved = state.adopt({ key: "scene", revision: `r${at}`, view: { at } }, () => {});
  bar.show(LECTURE, labels(), moved);
}
function press(key: string, more: object = {}): Event {
  const event = told("keydown", { key, composedPath: () => [], ...more });
  document.dispatchEvent(event);
  return event;
}
function told(type: string, more: object): Event {
  const event = new Event(type, { cancelable: true });
  for (const [name, value] of Object.entries(more)) Object.defineProperty(event, name, { value });
  return event;
}
// For `press`: the key goes to the first of these elements, each inside the next; an element matches its own name.
const inside = (...names: string[]) => ({
  composedPath: () =>
    names.map((name) => Object.assign(new FakeElement(name), { matches: (all: string) => all.includes(name) })),
});
const title = () => fake.byId("scene-title").textContent;
const click = (id: string) => fake.byId(id).onclick?.({});

afterEach(() => {
  notes?.remove(); // its clock
  notes = undefined;
  setClassroom(null);
});

beforeEach(() => {
  bar?.remove();
  stored.clear();
  went.length = 0;
  steps = 0;
  opened = "";
  here.href = "http://a/app/attention?lecture=mine&scene=1&lang=zh";
  const place = parent();
  fake = place.fake;
  state = new ViewState(new Map());
  bar = new SceneBar(place.element, state);
  answer(0);
});

test("a link keeps the language and whether one presents, and says the rest itself", () => {
  assert.equal(
    addressOf("masks?scene=2", "http://a/app/attention?lang=zh&present=1&x=1"),
    "http://a/app/masks?scene=2&lang=zh&present=1",
  );
  assert.equal(addressOf("masks", "http://a/app/attention?present=1&scene=1"), "http://a/app/masks"); // without a scene
  assert.equal(addressOf("", "http://a/app/attention"), "http://a/app/");
  assert.equal(addressOf("masks?lang=en", "http://a/?lang=zh"), "http://a/masks?lang=en");
});

test("another language that was just chosen is not undone by going on", () => {
  go(addressOf("masks"));
  assert.equal(went.at(-1), "http://a/app/masks?lang=zh");
  script.state = "running";
  here.href = "http://a/app/attention?lang=zh"; // the link names the old language until the run answers
  go(addressOf("masks"));
  assert.equal(went.at(-1), "http://a/app/masks?lang=");
  go("http://a/app/masks?lang=en"); // a language that the link itself names
  assert.equal(went.at(-1), "http://a/app/masks?lang=en");
  script.state = "notRunning";
});

const SPOKEN = {
  scene: 0,
  step: 0,
  href: "heads?model=zh-en&source=猫睡了。&head=4&scene=1",
  elsewhere: ["heads?model=en-de&source=The+cat+sleeps.&head=2&open=1&scene=1"],
  says: "",
};
const MORE = "&lecture=mine&lang=zh";

test("the texts of a scene follow the language, and what the scene says with them", () => {
  const said = (address: string) => decodeURI(inThisLanguage(SPOKEN, `http://a/heads?${address}`).slice(15));
  const english = "model=en-de&source=The+cat+sleeps.&head=2&open=1&scene=1";
  assert.equal(said(english + MORE), `model=zh-en&source=猫睡了。&head=4&scene=1${MORE}`);
  const moved = "model=en-de&source=The+cat+sleeps.&head=3&scene=1&mine=1"; // by a person, who keeps what they chose
  assert.equal(said(moved), "model=zh-en&source=猫睡了。&head=3&scene=1&mine=1");
  for (const own of [
    "model=en-de&source=A+dog.&head=2",
    "model=zh-en&source=The+cat+sleeps.",
    "model=en-de&source=The+cat+sleeps.&target=x",
  ])
    assert.equal(said(own), own);
  const here = "model=zh-en&source=猫睡了。&head=2&open=1";
  assert.equal(said(here), here);
});

test("who reads alone finds what many think, the answer and what to keep; going on closes it", () => {
  stored.set("viz solved", "copy,sharp");
  answer(0);
  const [button, texts] = [fake.byId("scene-explain"), fake.byId("scene-explained")];
  assert.deepEqual([button.hidden, texts.hidden, button.textContent], [false, true, "explain"]);
  click("scene-explain");
  assert.deepEqual([texts.hidden, button.getAttribute("aria-expanded")], [false, "true"]);
  assert.deepEqual(
    texts.children.map((one) => one.textContent),
    [
      ...["explained_usual", "one!", "explained_keep", "Keep one.", "explained_proof", "Line by line"],
      ...["explained_exercises", "Where it looksThe sharpest ✓"],
    ],
  );
  click("scene-next");
  assert.equal(texts.hidden, false); // the next step is of the same scene
  click("scene-next");
  assert.deepEqual([texts.hidden, button.getAttribute("aria-expanded")], [true, "false"]);
  answer(2);
  assert.equal(texts.tags("dd")[0].textContent, "two!");
  assert.deepEqual(
    texts
      .tags("a")
      .slice(0, 2)
      .map((one) => one.href),
    ["http://a/app/masks?lesson=causality&lang=zh", "http://a/app/exercises?exercise=look&lang=zh"],
  );
});

test("a term explains itself in a question and in its explanation, but what somebody wrote stays as it is", () => {
  const shows = (lecture: string, text: string) => {
    const told = { ...scene("one"), question: text, explained: [["keep", text]] as const };
    bar.show({ ...LECTURE, lecture, scenes: [told, LECTURE.scenes[1]] }, labels(), false);
    return [fake.byId("scene-question"), fake.byId("scene-explained").tags("dd")[0]].map((one) => [
      one.textContent,
      one.tags("a").map(({ href }) => href),
    ]);
  };
  assert.deepEqual(shows("attention", "Which [key](#term-key)?"), Array(2).fill(["Which key?", ["#term-key"]]));
  assert.deepEqual(shows("z.abc", "A [key](#term-key)."), Array(2).fill(["A [key](#term-key).", []]));
});

test("nothing is explained to a class, on the stage, or of another view than the scene's", () => {
  const button = fake.byId("scene-explain");
  click("scene-explain");
  press("p");
  answer(0);
  assert.deepEqual([button.hidden, fake.byId("scene-explained").hidden], [true, true]);
  press("p");
  answer(0);
  assert.equal(button.hidden, false);
  document.dispatchEvent(told("pointerdown", {}));
  here.href += "&stage=softmax";
  answer(0);
  assert.equal(button.hidden, true);
});

test("a view is the scene's until what it shows is another; what is pointed at is no other view", () => {
  const untouched = `http://a/heads?model=zh-en&source=猫睡了。&scene=1${MORE}`; // the page left out the usual head 4
  const holds = (more: string, was = untouched) => isViewOf(SPOKEN, was, `http://a/heads?${more}&scene=1${MORE}`);
  assert.ok(holds("model=zh-en&source=猫睡了。&cell=2-3&open=1&present=1"));
  assert.ok(holds("model=zh-en&source=猫睡了。&embed=true&hide=menu&room=ABCDE"));
  assert.ok(!holds("model=zh-en&source=猫睡了。&head=3"));
  assert.ok(!holds("model=zh-en&source=狗睡了。"));
  assert.ok(!holds("model=zh-en"));
  const changed = `http://a/heads?model=zh-en&source=狗睡了。&scene=1${MORE}`; // as somebody sent it
  assert.ok(!isViewOf(SPOKEN, changed, changed));
  const bare = "http://a/heads?lecture=mine&scene=1&lang=zh"; // the page shows texts of its own
  assert.ok(!isViewOf(SPOKEN, bare, bare));
});

test("a scene opened in another language opens its own texts, once", () => {
  went.length = 0;
  here.href = `http://a/heads?model=en-de&source=The+cat+sleeps.&head=2&open=1&scene=1${MORE}`;
  state.adopt({ key: "scene", revision: "r9", view: { at: 0 } }, () => {});
  bar.show({ ...LECTURE, places: [SPOKEN] }, labels(), true);
  bar.show({ ...LECTURE, places: [SPOKEN] }, labels(), false);
  assert.deepEqual(
    went.map((address) => new URL(address).searchParams.get("source")),
    ["猫睡了。"],
  );
  assert.equal(steps, 0);
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
  events.dispatchEvent(told("popstate", { isTrusted: true }));
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

test("while one presents, a key shows the code of the room, and one fills the screen", () => {
  let [codes, full] = [0, 0];
  const stop = hearShowCode(() => codes++);
  Object.assign(document.documentElement, { requestFullscreen: async () => void full++ });
  for (const key of ["q", "f"]) press(key);
  assert.deepEqual([codes, full], [0, 0]); // they are the page's
  press("p");
  for (const key of ["q", "f"]) press(key);
  assert.deepEqual([codes, full], [1, 1]);
  stop();
});

test("who follows a class presents nothing and has no notes, whatever their link says", () => {
  const room = { code: "ABCDE", members: 2, answered: 0, question: null, tally: null, counted: null, refused: null };
  here.href = "http://a/app/attention?lecture=mine&scene=1&lang=zh&present=1&room=ABCDE";
  setClassroom({ ...room, part: "leads" });
  assert.ok(isPresenting() && !went.length);
  for (const part of ["follows", "explores"] as const) {
    here.href = "http://a/app/attention?lecture=mine&scene=1&lang=zh&present=1&room=ABCDE";
    setClassroom({ ...room, part });
    assert.equal(went.at(-1), "http://a/app/attention?lecture=mine&scene=1&lang=zh&room=ABCDE");
    assert.deepEqual([fake.byId("scene-present").hidden, fake.byId("scene-notes").hidden], [true, true]);
    went.length = 0;
    for (const key of ["p", "n", "PageDown"]) press(key);
    assert.deepEqual([went.length, opened], [0, ""]);
    setClassroom(null);
  }
  assert.ok(!fake.byId("scene-notes").hidden);
});

test("the notes of a room are for whoever leads it", () => {
  for (const [code, secret, said] of [
    ["ABCDE", null, "not_yours"],
    ["ABCDE", "s", "ask one"],
  ] as const) {
    here.href = `http://a/app/?lecture=mine&notes=1&scene=1&room=${code}`;
    if (secret) stored.set(`viz room ${code}`, secret);
    const other = parent();
    const notes = new NotesPanel(other.element, new ViewState<{ at: number }>(new Map()));
    notes.show(LECTURE, labels(), false);
    assert.equal(other.fake.byId("notes-note").textContent, said);
    notes.remove();
  }
});

test("who types or marks an answer has the arrows, and a remote goes on nevertheless", () => {
  press("p");
  for (const place of [
    inside("input", ".sheet"),
    inside("textarea"),
    inside("select"),
    inside("[contenteditable=true]"),
    inside("button", ".sheet"), // a cell, or a curve's handle
  ])
    for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) {
      const event = press(key, place);
      assert.equal(event.defaultPrevented, false);
    }
  assert.equal(went.length, 1);
  press("PageDown", { ...inside("input", ".sheet"), isComposing: true }); // the key belongs to the input method
  assert.equal(went.length, 1);
  press("PageDown", inside("input", ".sheet"));
  assert.match(went.at(-1) ?? "", /scene=1\.2/);
  press("ArrowRight", inside("button")); // a button outside of a sheet
  assert.equal(title(), "two");
});

test("below an open box nothing hears a key", () => {
  for (const key of ["p", "n"]) press(key, inside("button", "dialog[open]"));
  assert.deepEqual([went.length, opened], [0, ""]);
  press("p");
  press("PageDown", inside("dialog[open]"));
  assert.equal(went.length, 1);
});

test("after the last scene one presents no more, and the path offers to present", () => {
  press("p");
  for (let n = 0; n < LECTURE.places.length; n++) press("PageDown");
  assert.equal(went.at(-1), "http://a/app/?lecture=mine&lang=zh");
  const place = parent();
  const path = new PathPanel(place.element);
  const show = (from: string) => {
    here.href = from;
    path.show({ ...LECTURE, packed: "z.mine" }, labels());
    return place.fake.tags("a").flatMap(({ href }) => (href.includes("present") ? [href] : []));
  };
  here.href = "http://a/app/?lecture=mine&present=1";
  assert.ok(!isPresenting()); // an old link to the path may still say `present`
  const scenes = show(went.at(-1) ?? "").map((href) => new URL(href).searchParams.get("scene"));
  assert.deepEqual(scenes, ["1", "2"]); // from the beginning, and from where one was
  for (const address of show("http://a/app/?lecture=mine&present=1"))
    assert.deepEqual(new URL(address).searchParams.getAll("present"), ["1"]);
  path.remove();
});

test("a run that sends the same leaves the buttons of a path where they are; another address draws them anew", () => {
  const place = parent();
  const path = new PathPanel(place.element);
  const keep = (from: string) => {
    here.href = from;
    path.show({ ...LECTURE, lecture: "z.mine", packed: "z.mine" }, labels());
    return place.fake.byId("path-keep");
  };
  const first = keep("http://a/app/?lecture=z.mine");
  assert.equal(keep("http://a/app/?lecture=z.mine"), first);
  assert.notEqual(keep("http://a/app/?lecture=z.mine&room=ABCDE"), first);
  path.remove();
});

test("to present is no step that Back takes back, nor is it to open what is open", () => {
  press("p");
  press("Escape");
  assert.deepEqual([went.length, steps], [2, 0]);
  press("PageDown", { repeat: true });
  click("scene-next");
  assert.equal(steps, 1);
  go(here.href);
  assert.equal(steps, 1);
});

test("a key that is held down is one", () => {
  press("p");
  const held = press("PageDown", { repeat: true });
  assert.ok(held.defaultPrevented); // and does not scroll
  assert.equal(title(), "one");
  assert.equal(went.length, 1);
});

test("what the page before would show first takes no step from the next one", () => {
  let offered = 0;
  const take = () => void (offered += 1);
  const stop = offerStep(() => ({ does: "reveal", take }));
  press("p");
  press("PageDown");
  assert.deepEqual([offered, steps], [1, 0]);
  stop();
  press("PageDown");
  const busy = () => fake.classed("scene")[0].getAttribute("aria-busy");
  assert.equal(busy(), "true");
  const stopOld = offerStep(() => ({ does: "reveal", take })); // still there while the page changes
  press("PageDown");
  assert.equal(title(), "two");
  assert.equal(steps, 2);
  answer(2);
  assert.equal(busy(), "false");
  press("PageDown");
  assert.equal(steps, 2);
  stopOld();
});

test("of packed lectures a browser keeps one entry, and its place is no other's", () => {
  const version = (lecture: string) => ({ ...LECTURE, lecture });
  keepPlace(version("z.a"), 1);
  keepPlace(version("z.b"), 2);
  assert.deepEqual([...stored.keys()], ["viz lecture mine", "viz lecture own"]);
  assert.deepEqual([lastPlace(version("z.a")), lastPlace(version("z.b"))], [null, 2]);
  keepPlace(version("z.b"), 99);
  assert.equal(lastPlace(version("z.b")), null);
  for (const text of ["", "{", "null", "3", '{"lecture":"z.b"}', '{"lecture":"z.b","at":"1"}']) {
    stored.set("viz lecture own", text);
    assert.equal(lastPlace(version("z.b")), null);
  }
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

// The window of the notes, opened at the place `at`.
function openNotes(at = 0, lecture = LECTURE) {
  const other = parent();
  const state = new ViewState<{ at: number }>(new Map());
  notes?.remove();
  notes = new NotesPanel(other.element, state);
  state.adopt({ key: "notes", revision: "n", view: { at } }, () => {});
  const said = {
    coming: "{title} comes",
    later: "then {title}",
    have_answered: "{count} of {members}",
    used: "used {used}",
    does_: "",
    used_of: "used {used} of {all}",
    planned: "{from} to {to}",
  };
  notes.show(lecture, labels(said), true);
  const read = (id: string) => other.fake.byId(`notes-${id}`).textContent;
  const classed = (name: string) => other.fake.classed(name)[0].textContent;
  return { read, classed, click: (id: string) => other.fake.byId(`notes-${id}`).onclick?.({}), fake: other.fake };
}

test("notes stay in step, and move the lecture", () => {
  press("n");
  assert.equal(opened, "http://a/app/?lecture=mine&notes=1&scene=1&lang=zh");
  const { read, click: clickNotes } = openNotes(2); // opened at a place that is out of date
  assert.equal(read("note"), "ask one");
  click("scene-next");
  click("scene-next");
  answer(2);
  assert.deepEqual([read("title"), read("does")], ["two", "last"]);
  clickNotes("previous");
  assert.equal(title(), "one");
});

test("the notes say what the class sees, and what the next Page Down does", () => {
  here.href += "&present=1";
  answer(0);
  const { read, classed } = openNotes();
  const seen = () => [classed("shows"), read("does"), read("coming"), classed("ahead")];
  assert.deepEqual(seen(), ["one?", "step comes", "", "Half: "]);
  let taken = 0;
  const stop = offerStep(() => (taken < 2 ? { does: taken ? "picture" : "reveal", take: () => void taken++ } : null));
  answer(0);
  assert.deepEqual(seen().slice(1), ["does_reveal", "then step", "Half: "]);
  press("PageDown");
  answer(0);
  assert.equal(read("does"), "does_picture");
  press("PageDown");
  stop();
  press("PageDown");
  assert.equal(read("does"), ""); // while the page changes
  answer(1);
  assert.deepEqual(seen(), ["Half:", "two comes", "", "two?"]);
  press("PageDown");
  answer(2);
  assert.deepEqual(seen().slice(0, 2), ["two?", "does_sentence"]);
  press("PageDown");
  assert.deepEqual(seen().slice(0, 2), ["All of them.", "last"]);
});

test("the notes say how many have answered while the room is asked, and only to whoever leads", () => {
  const asked = { id: "q", kind: "number", size: 1, columns: 0, title: "", open: true, unread: false } as const;
  const room = { code: "ABCDE", members: 24, answered: 17, tally: null, counted: null, refused: null };
  const { classed } = openNotes();
  setClassroom({ ...room, part: "leads", question: asked });
  assert.equal(classed("answered"), "17 of 24");
  setClassroom({ ...room, part: "follows", question: asked, answered: 18 });
  assert.equal(classed("answered"), "17 of 24");
  setClassroom({ ...room, part: "leads", question: { ...asked, open: false } });
  assert.equal(classed("answered"), "");
});

test("the notes say the time, the minutes that are used since Present, and those of the scene", (context) => {
  const now = new Date(2026, 0, 5, 12, 34).getTime();
  context.mock.timers.enable({ apis: ["Date", "setInterval"], now });
  stored.set("viz show", String(now - 14.5 * 60_000));
  const { read } = openNotes();
  assert.equal(read("time"), "12:34 · 0 to 7.5"); // nothing is presented
  here.href += "&present=1";
  answer(2);
  assert.equal(read("time"), "12:34 · used 14 of 15 · 7.5 to 15");
  context.mock.timers.tick(31_000);
  assert.equal(read("time"), "12:34 · used 15 of 15 · 7.5 to 15");
  for (const began of ["", "x", "-1", String(now - 86_400_000), String(now + 86_400_000)]) {
    stored.set("viz show", began);
    answer(2);
    assert.equal(read("time"), "12:34 · 7.5 to 15", began);
  }
  const scenes = LECTURE.scenes.map((one) => ({ ...one, minutes: 0 }));
  assert.equal(openNotes(0, { ...LECTURE, scenes }).read("time"), "12:34");
});

test("the parts of a note stand apart, each below its heading, and all of it is text", () => {
  const note = [
    ["", "<b>first</b>"],
    ["Ask", "<i>why?</i>"],
  ] as const;
  const { fake } = openNotes(0, { ...LECTURE, scenes: [{ ...scene("one"), note: note as never }, scene("two")] });
  const shown = fake.byId("notes-note").children.map((node) => [node.tagName, node.textContent, node.hidden]);
  assert.deepEqual(shown, [
    ["dt", "", true],
    ["dd", "<b>first</b>", false],
    ["dt", "Ask", false],
    ["dd", "<i>why?</i>", false],
  ]);
});

test("what another window says that makes no sense changes nothing", () => {
  const { read } = openNotes();
  const before = read("title");
  const other = new FakeChannel("viz lecture mine");
  for (const data of [null, 7, "at", [], {}, { at: 99 }, { at: -1 }, { at: "length" }, { at: null }, { by: "x" }])
    other.postMessage(data as Message);
  assert.deepEqual([read("title"), title()], [before, before]);
  other.postMessage({ at: 2 }); // of a window that was opened before the app was renewed
  assert.equal(read("title"), "two");
  other.close();
});

test("a scene lights what it is about, and at its end nothing is lit", () => {
  assert.equal(lit.ofScene, "key");
  bar.remove();
  assert.equal(lit.ofScene, "");
});

test("while one presents, a scene asks, then says its sentence, then goes on", () => {
  here.href += "&present=1";
  answer(2);
  const seen = () => ["scene-question", "scene-says"].filter((id) => !fake.byId(id).hidden);
  assert.deepEqual(seen(), ["scene-question"]);
  press("PageDown");
  assert.deepEqual(went, []);
  assert.deepEqual(seen(), ["scene-says"]);
  assert.equal(fake.byId("scene-says").textContent, "All of them.");
  press("PageDown");
  assert.equal(went.length, 1);
});

test("a step says its sentence with what the picture says, beside the question where nobody presents", () => {
  answer(1);
  assert.equal(fake.byId("scene-says").textContent, "Half:"); // no picture says anything here
  assert.equal(fake.byId("scene-question").hidden, false);
  here.href += "&present=1";
  answer(1);
  assert.equal(fake.byId("scene-question").hidden, true);
});

test("a key opens the scene's controls; the same, Escape or going on closes them", () => {
  const shown = () => areControlsShown();
  press("c");
  assert.ok(!shown()); // it is the page's key
  here.href += "&present=1";
  answer(0);
  for (const closing of ["c", "Escape", "PageDown"]) {
    press("c");
    assert.ok(shown());
    press(closing);
    assert.ok(!shown());
  }
  assert.ok(went.every((address) => new URL(address).searchParams.get("present") === "1"));
});
