// A component that somebody else leads.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import type { Panel } from "../src/kit/component.ts";
import type { ViewState } from "../src/kit/view_state.ts";
import { pack } from "./pack.ts";

const page = Object.assign(new EventTarget(), { documentElement: { lang: "", dataset: {} } });
Object.assign(globalThis, { document: page, Element: class {} });
const { component, panel } = await import("../src/kit/component.ts");
const { hearChanged, hearShown, isLike, lead } = await import("../src/kit/remote_view.ts");

interface View {
  head: number;
  cell: readonly number[] | null;
}
const HEADS = 4;
let shown: View[];
let told: unknown[];
let state: ViewState<View>;
let stops: (() => void)[] = [];

function mount(isOwn = false): void {
  class TestPanel implements Panel<{ n: number }> {
    constructor(_: HTMLElement, its: ViewState<View>) {
      state = its;
    }
    show() {
      if (state.view.head >= HEADS) throw new Error("no such head");
      if (state.view.cell?.length === 3) state.change({ cell: null }); // the panel drops what does not fit
      shown.push(state.view);
    }
    remove() {}
  }
  const mounted = component({ test: panel(TestPanel, { isOwn }) });
  const request = { panel: "test", key: "k", revision: "1", view: { head: 0, cell: null }, labels: {}, language: "en" };
  const data = pack({ request, content: pack({ n: 1 }) });
  const stop = mounted({
    parentElement: new EventTarget() as HTMLElement,
    data,
    setStateValue: (_, view) => told.push(view),
  });
  stops.push(stop);
}

beforeEach(() => {
  for (const stop of stops) stop();
  stops = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  shown = [];
  told = [];
});

test("it goes where it is led, and Python hears of it later, as of a person's choice", () => {
  mount();
  lead({ key: "k", view: { head: 2, cell: [1, 2] }, rest: 700 });
  assert.deepEqual(shown.at(-1), { head: 2, cell: [1, 2] });
  mock.timers.tick(699);
  assert.deepEqual(told, []);
  mock.timers.tick(1);
  assert.deepEqual(told, [{ head: 2, cell: [1, 2], revision: "1" }]);
});

test("who leads hears of what a person does, and not of what is led", () => {
  mount();
  const changed: unknown[] = [];
  const stop = hearChanged((key, view) => changed.push([key, view]));
  lead({ key: "k", view: { head: 2, cell: [1, 2, 3] }, rest: 0 });
  state.change({ head: 3 });
  stop();
  assert.deepEqual(changed, [["k", { head: 3, cell: null }]]);
});

test("what is of another component, or of another kind, or not here, leaves it where it is", () => {
  mount();
  const before = shown.length;
  const lists: unknown[] = [
    { head: "1", cell: null },
    { head: 1 },
    { head: 1, cell: null, more: 1 },
    { head: -1, cell: null },
    { head: Number.NaN, cell: null },
    { head: 1, cell: [Number.POSITIVE_INFINITY, 0] },
    { head: 1, cell: Array(201).fill(0) },
    [1, null],
    null,
    "view",
  ];
  for (const view of lists) lead({ key: "k", view: view as object, rest: 0 });
  lead({ key: "other", view: { head: 1, cell: null }, rest: 0 });
  assert.equal(shown.length, before);
  lead({ key: "k", view: { head: HEADS, cell: null }, rest: 0 }); // too large for what is shown
  mock.timers.tick(1000);
  assert.deepEqual([shown.at(-1), state.view, told], [{ head: 0, cell: null }, { head: 0, cell: null }, []]);
});

test("a component whose view is each browser's own is not led and tells nothing", () => {
  const heard: unknown[] = [];
  const ends = [hearChanged((key) => heard.push(key)), hearShown((key) => heard.push(key))];
  mount(true);
  state.change({ head: 1 });
  lead({ key: "k", view: { head: 2, cell: null }, rest: 0 });
  for (const end of ends) end();
  assert.deepEqual([heard, state.view.head], [[], 1]);
});

test("a view is like another where its fields are of the same kinds, or nothing", () => {
  const view = { token: ["query", 0], pinned: null, words: true, places: [1, 2] };
  assert.ok(isLike(view, { token: null, pinned: { row: 1 }, words: false, places: [] }));
  assert.ok(!isLike(view, { token: null, pinned: null, words: 1, places: [] }));
  assert.ok(!isLike(view, { token: "query", pinned: null, words: true, places: [] }));
});
