// What one has done: what the browser keeps of it, and what Python hears.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeElement, labels, parent } from "../dom.ts";

const stored = new Map<string, string>();
let isFull = false; // a browser that keeps nothing
const saved: Blob[] = [];
Object.assign(globalThis, {
  localStorage: new Proxy(
    {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => {
        if (isFull) throw new Error("full");
        stored.set(name, text);
      },
      removeItem: (name: string) => void stored.delete(name),
    },
    { ownKeys: () => [...stored.keys()], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) },
  ),
});
Object.assign(URL, { createObjectURL: (blob: Blob) => `blob:${saved.push(blob)}` });
Object.assign(FakeElement.prototype, { click: () => {} });

const listeners = new Map<string, (event: unknown) => void>();
globalThis.addEventListener = ((kind: string, hear: (event: unknown) => void) =>
  void listeners.set(kind, hear)) as typeof addEventListener;
const { ViewState } = await import("../../src/kit/view_state.ts");
const { ProgressPanel } = await import("../../src/exercises/progress.ts");

let told: string[] = [];
let state: InstanceType<typeof ViewState<{ solved: string }>>;
let root: FakeElement;

function open(solved = "", revision = "1"): void {
  state = new ViewState<{ solved: string }>(new Map());
  const place = parent();
  root = place.fake;
  const panel = new ProgressPanel(place.element, state);
  state.adopt({ key: "progress", revision, view: { solved } }, (view) => told.push(view.solved));
  panel.show({}, labels());
}
const press = (id: string) => root.byId(id).onclick?.({});
const said = () => root.byId("progress-said").textContent;

async function openFile(text: string, name = "a.json"): Promise<void> {
  const file = root.byId("progress-file");
  Object.assign(file, { files: [{ name, size: text.length, text: async () => text }] });
  (file as unknown as HTMLInputElement).onchange?.({} as Event);
  await new Promise((done) => setTimeout(done));
}

beforeEach(() => {
  stored.clear();
  told = [];
  saved.length = 0;
  isFull = false;
});

test("what is solved is kept, and a later session hears of it", () => {
  open("copy");
  assert.deepEqual([...stored], [["viz solved", "copy"]]);
  assert.deepEqual(told, []);
  open("");
  assert.deepEqual(told, ["copy"]);
});

test("what two tabs solve becomes one, and what one forgets both do", () => {
  open("copy");
  listeners.get("storage")?.({ key: "viz solved", newValue: "copy,seed" });
  assert.deepEqual(told, ["copy,seed"]);
  listeners.get("storage")?.({ key: "viz solved", newValue: null });
  assert.deepEqual(told, ["copy,seed", ""]);
});

test("where nothing was solved nothing is kept", () => {
  open();
  assert.equal(stored.size, 0);
});

test("a browser that keeps nothing says so", () => {
  isFull = true;
  open("copy");
  assert.equal(said(), "not_kept");
});

test("a file holds what was done, and nothing of rooms or of one's own lecture", async () => {
  stored.set("viz room 123", "secret").set("viz my lecture", "z.a").set("stActiveTheme", "{}");
  stored.set("viz lecture attention", "3").set("viz predict x", "{}");
  open("copy");
  press("progress-save");
  assert.deepEqual(JSON.parse(await saved[0].text()), {
    "viz lecture attention": "3",
    "viz predict x": "{}",
    "viz solved": "copy",
  });
});

test("a file adds to what is solved", async () => {
  open("copy");
  await openFile(JSON.stringify({ "viz solved": "seed", "viz lecture attention": "3" }));
  assert.deepEqual(told, ["copy,seed"]);
  assert.equal(stored.get("viz lecture attention"), "3");
  assert.match(said(), /opened/);
});

for (const text of ["", "x", "{}", "[1]", "3", '{"viz solved": 3}', '{"viz room 123": "secret"}', '{"other": "x"}'])
  test(`${text || "nothing"} is no file of ours`, async () => {
    open("copy");
    const before = [...stored];
    await openFile(text, "<b>.json");
    assert.match(said(), /not_ours/);
    assert.deepEqual([...stored], before);
    assert.deepEqual(told, []);
  });

test("it is forgotten at the second click, and what is not ours stays", () => {
  stored.set("viz my lecture", "z.a").set("viz predict x", "{}");
  open("copy");
  press("progress-forget");
  assert.equal(stored.size, 3);
  press("progress-forget");
  assert.deepEqual([...stored.keys()], ["viz my lecture"]);
  assert.deepEqual(told, [""]);
});
