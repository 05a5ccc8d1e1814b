import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import type { Labels, Panel } from "../src/kit/component.ts";
import type { ViewState } from "../src/kit/view_state.ts";
import { pack } from "./pack.ts";

const root = { lang: "", dataset: {} };
const document = Object.assign(new EventTarget(), { documentElement: root });
Object.assign(globalThis, { document, Element: class {} });
const { announce } = await import("../src/kit/bar.ts");
const { component, panel } = await import("../src/kit/component.ts");
const { say } = await import("../src/kit/said.ts");

interface View {
  layer: number;
}
interface Content {
  name: string;
}

let said: string[]; // what panels were asked to do
let settledOf: ViewState<View>[]; // the view states of the panels, oldest first
let told: unknown[];
let mount: ReturnType<typeof component>;
const parent = () => new EventTarget() as HTMLElement;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  said = [];
  settledOf = [];
  told = [];
  mount = component({ test: panel(TestPanel), other: panel(OtherPanel) });
});

class TestPanel implements Panel<Content> {
  private readonly state: ViewState<View>;
  private readonly n: number;

  constructor(_: HTMLElement, state: ViewState<View>) {
    this.state = state;
    this.n = settledOf.push(state);
  }
  show({ name }: Content, labels: Labels, moved: boolean) {
    said.push(`${this.n} ${name} ${labels.word} ${this.state.view.layer} ${moved}`);
  }
  remove() {
    said.push(`${this.n} removed`);
  }
}

class OtherPanel extends TestPanel {
  override show({ name }: Content) {
    said.push(`other ${name}`);
  }
}

class HearingPanel extends TestPanel {
  readonly hears = new EventTarget() as HTMLElement;
}

const request = (revision = "1", layer = 0) => ({
  panel: "test",
  key: "k",
  revision,
  view: { layer },
  labels: { word: "w" },
  language: "zh-Hans",
});
const still = (name: string, revision = "1", layer = 0) =>
  pack({ request: request(revision, layer), content: pack({ name }) });
// Each test needs a key of its own for its bar: the place of a bar is kept as long as the page lives.
const along = (bar: string, at: string, names: Record<string, string>, revision = "1") =>
  pack({
    request: request(revision),
    bar,
    at,
    places: Object.fromEntries(Object.keys(names).map((place, n) => [place, n])),
    bodies: Object.values(names).map((name) => pack({ name })),
  });

function call(parentElement: HTMLElement, data: Uint8Array): () => void {
  return mount({ parentElement, data, setStateValue: (name, value) => told.push([name, value]) });
}

test("one panel for a parent; only a new revision moves its view", () => {
  const place = parent();
  call(place, still("a"));
  call(place, still("b", "1", 3));
  call(place, still("c", "2", 3));
  call(parent(), still("d", "2", 3));
  assert.deepEqual(said, ["1 a w 0 true", "1 b w 0 false", "1 c w 3 true", "2 d w 3 true"]);
});

test("a message says which panel shows it", () => {
  call(parent(), pack({ request: { ...request(), panel: "other" }, content: pack({ name: "a" }) }));
  call(parent(), still("b"));
  assert.deepEqual(said, ["other a", "2 b w 0 true"]);
});

test("the page says in which language it is, for voices and fonts", () => {
  root.lang = "en";
  call(parent(), still("a"));
  assert.equal(root.lang, "zh-Hans");
});

test("labels that the page is sent by name are waited for; until then what was there stays as it is", () => {
  const named = (name: string, labels: string) => pack({ request: { ...request(), labels }, content: pack({ name }) });
  const place = parent();
  call(place, named("a", "words in English"));
  assert.deepEqual(said, []);
  say({ "other words": { word: "o" } });
  assert.deepEqual(said, []);
  say({ "words in English": { word: "one" } });
  assert.deepEqual(said, ["1 a one 0 true"]);
  call(parent(), named("b", "words in English")); // are known by now
  assert.equal(said.at(-1), "2 b one 0 true");
  call(place, named("c", "words in Chinese"));
  call(place, named("d", "words in Chinese"));
  assert.equal(said.length, 2);
  say({ "words in Chinese": { word: "一" } });
  assert.deepEqual(said.slice(2), ["1 d 一 0 false"]);
  say({ "words in Chinese": { word: "一" } });
  assert.equal(said.length, 3);
});

test("keys are heard from the first content on", (t) => {
  const hearing = t.mock.method(document, "addEventListener");
  const ending = t.mock.method(document, "removeEventListener");
  const heard = () => [hearing, ending].map(({ mock: { calls } }) => calls.filter(isOfKeys).length);
  const isOfKeys = (one: { arguments: unknown[] }) => one.arguments[0] === "keydown";
  mount = component({ test: panel(HearingPanel) });
  const place = parent();
  call(place, pack({ request: { ...request(), labels: "words to come" }, content: pack({ name: "a" }) }));
  assert.deepEqual(heard(), [0, 0]);
  say({ "words to come": { word: "w" } });
  const remove = call(place, still("b"));
  assert.deepEqual(heard(), [1, 0]);
  remove();
  assert.deepEqual(heard(), [1, 1]);
});

test("what is gone waits for no labels", () => {
  const remove = call(
    parent(),
    pack({ request: { ...request(), labels: "late words" }, content: pack({ name: "a" }) }),
  );
  remove();
  say({ "late words": { word: "l" } });
  assert.deepEqual(said, ["1 removed"]);
});

test("a panel stays as long as its place is on the page, whichever calls are cleaned up", () => {
  const place = Object.assign(parent(), { isConnected: true });
  const first = call(place, still("a"));
  first(); // Streamlit cleans this call up before it makes the next one
  const second = call(place, still("b"));
  first();
  assert.deepEqual(said, ["1 a w 0 true", "1 b w 0 false"]);
  Object.assign(place, { isConnected: false });
  second();
  first();
  assert.deepEqual(said.slice(2), ["1 removed"]);
  call(place, still("a"));
  assert.equal(said.at(-1), "2 a w 0 true");
});

test("what a person changed is told to Python, and is still there when Streamlit mounts anew", () => {
  const remove = call(parent(), still("a"));
  settledOf[0].change({ layer: 2 });
  settledOf[0].commitIn();
  mock.timers.tick(1000);
  assert.deepEqual(told, [["view", { layer: 2, revision: "1" }]]);
  settledOf[0].change({ layer: 4 });
  settledOf[0].commitIn();
  remove();
  mock.timers.tick(1000);
  assert.equal(told.length, 1);
  call(parent(), still("a"));
  assert.equal(said.at(-1), "2 a w 4 true");
});

test("a session after one that is gone hears where the browser is; of anything new it says itself where to go", () => {
  const first = (name: string, revision: string, layer: number) =>
    pack({ request: { ...request(revision, layer), isFirst: true }, content: pack({ name }) });
  const place = parent();
  call(place, first("a", "1", 0));
  assert.equal(said.at(-1), "1 a w 0 true"); // the page has just opened
  settledOf[0].change({ layer: 2 });
  call(place, first("a", "2", 0));
  assert.equal(said.at(-1), "1 a w 2 false");
  mock.timers.tick(1000);
  assert.deepEqual(told, [["view", { layer: 2, revision: "2" }]]);
  call(place, first("a", "3", 2)); // this session knows the layer from the link
  mock.timers.tick(1000);
  assert.equal(said.at(-1), "1 a w 2 false");
  call(place, first("b", "4", 1));
  assert.equal(said.at(-1), "1 b w 1 true");
  call(place, still("b", "5", 3)); // of the same session
  assert.equal(said.at(-1), "1 b w 3 true");
  mock.timers.tick(1000);
  assert.equal(told.length, 1);
});

test("a view goes along with its bar, and asks Python to be waited for where it has nothing", () => {
  const remove = call(parent(), along("bar", "0", { 0: "zero", 1: "one" }));
  assert.deepEqual(said, ["1 zero w 0 true"]);
  assert.deepEqual(announce("bar", [1]), { bar: "bar", place: "1", views: 1, waiting: 0 });
  assert.equal(said.at(-1), "1 one w 0 false");
  assert.equal(announce("bar", [2]).waiting, 1);
  assert.equal(announce("another", [0]).views, 0);
  assert.equal(said.length, 2);
  remove();
  assert.equal(announce("bar", [0]).views, 0);
});

test("an answer to an earlier place changes nothing; one that has the place is shown", () => {
  const place = parent();
  announce("late", [1, 2]);
  call(place, along("late", "0,0", { "0,0": "old", "1,2": "here" }));
  assert.deepEqual(said, ["1 here w 0 true"]);
  call(place, along("late", "0,0", { "0,0": "old" }));
  assert.equal(said.length, 1);
  announce("late", [5, 5]);
  call(place, along("late", "5,5", { "5,5": "there" }));
  assert.equal(said.at(-1), "1 there w 0 false");
});
