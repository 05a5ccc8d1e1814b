import assert from "node:assert/strict";
import { beforeEach, mock, type TestContext, test } from "node:test";
import { type LastViews, REST, ViewState } from "../src/kit/view_state.ts";

interface View {
  layer: number;
  cell: [number, number] | null;
}

const FIRST: View = { layer: 0, cell: null };
let sent: (View & { revision: string })[];
let lastViews: LastViews<View>;
let state: ViewState<View>;
const commit = (view: View & { revision: string }) => sent.push(view);
const asked = (revision: string, view = FIRST) => ({ key: "a", revision, view });

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  sent = [];
  lastViews = new Map();
  state = new ViewState(lastViews);
  assert.equal(state.adopt(asked("1"), commit), true);
});

test("only a new revision moves the view", () => {
  state.change({ layer: 2 });
  assert.equal(state.adopt(asked("1", { layer: 1, cell: null }), commit), false);
  assert.deepEqual(state.view, { layer: 2, cell: null });
  assert.equal(state.adopt(asked("2", { layer: 1, cell: null }), commit), true);
  assert.deepEqual(state.view, { layer: 1, cell: null });
});

test("where a person had gone to is known when Python moves the view, and when the component is mounted anew", () => {
  state.adopt(asked("2", { layer: 1, cell: null }), commit);
  assert.equal(state.before, null); // nobody went anywhere
  state.change({ layer: 2 });
  state.adopt(asked("3"), commit);
  assert.deepEqual(state.before, { layer: 2, cell: null });
  const anew = new ViewState<View>(lastViews);
  anew.adopt(asked("4"), commit);
  assert.deepEqual([anew.before, anew.view], [{ layer: 2, cell: null }, FIRST]);
});

test("Python hears once, of where a person came to rest", () => {
  for (const layer of [1, 2, 3]) {
    state.change({ layer });
    state.commitIn();
    mock.timers.tick(REST - 1);
  }
  assert.deepEqual(sent, []);
  mock.timers.tick(1);
  assert.deepEqual(sent, [{ layer: 3, cell: null, revision: "1" }]);
  mock.timers.tick(10 * REST);
  assert.equal(sent.length, 1);
});

test("who comes back to where Python is says nothing", () => {
  state.change({ cell: [1, 2] });
  state.change({ cell: null });
  state.commitIn(0);
  assert.deepEqual(sent, []);
  state.change({ cell: [1, 2] });
  state.commitIn(0);
  state.commitIn(0);
  assert.equal(sent.length, 1);
});

test("what waits is not sent, and not after Python has moved the view", () => {
  state.change({ layer: 1 });
  state.commitIn();
  state.wait();
  mock.timers.tick(REST);
  state.commitIn();
  state.adopt(asked("2"), commit);
  mock.timers.tick(REST);
  assert.deepEqual(sent, []);
});

test("a component that is mounted anew goes on where it was, unless it is asked elsewhere", () => {
  state.change({ layer: 2 });
  const again = new ViewState(lastViews);
  again.adopt(asked("1"), commit);
  assert.deepEqual(again.view, { layer: 2, cell: null });
  again.commitIn(0);
  assert.deepEqual(sent, []); // Streamlit has kept what it was told
  const elsewhere = new ViewState(lastViews);
  elsewhere.adopt(asked("2"), commit);
  assert.deepEqual(elsewhere.view, FIRST);
});

test("with a link the browser writes it, and Python hears only what it is told", (context: TestContext) => {
  const location = { href: "http://x/page?other=1" };
  const replaceState = (_state: unknown, _title: string, href: string) => {
    location.href = href;
  };
  Object.assign(globalThis, { location, history: { state: null, replaceState } });
  context.after(() => {
    Reflect.deleteProperty(globalThis, "location");
    Reflect.deleteProperty(globalThis, "history");
  });
  const link = [
    { field: "layer", name: "layer", spelling: "index", omit: 0 },
    { field: "cell", name: "cell", spelling: "cell" },
  ] as const;
  state.adopt({ ...asked("2"), link }, commit);
  state.change({ layer: 2, cell: [0, 4] });
  state.commitIn();
  assert.equal(location.href, "http://x/page?other=1");
  mock.timers.tick(REST);
  assert.equal(location.href, "http://x/page?other=1&layer=3&cell=1-5");
  assert.deepEqual(sent, []);
  state.change({ layer: 0, cell: null });
  state.tell();
  assert.equal(location.href, "http://x/page?other=1");
  assert.deepEqual(sent, []); // it is where Python asked it to be
  state.change({ layer: 1 });
  state.tell();
  assert.equal(location.href, "http://x/page?other=1&layer=2");
  assert.deepEqual(sent, [{ layer: 1, cell: null, revision: "2" }]);
});
