// The visitor's own lecture: which one the browser keeps.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { type FakeElement, labels, read } from "../dom.ts";

const stored = new Map<string, string>();
const went: string[] = [];
Object.assign(globalThis, {
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  },
  location: { href: "http://a/?lang=zh" },
  history: { pushState: (_state: unknown, _title: string, address: string) => went.push(address) },
  PopStateEvent: class extends Event {},
  dispatchEvent: () => true,
});
const { Own } = await import("../../src/lecture/own.ts");
const { keepMine, mine } = await import("../../src/share/mine.ts");

let own: InstanceType<typeof Own>;
let again = 0;
const nodesOf = (lecture: string, more: object = {}): FakeElement[] => {
  const shown = { lecture, packed: lecture, title: "", closing: "", scenes: [], places: [], ...more };
  own.keepAlong(shown);
  return own.ways(shown, labels(), () => again++).map(read);
};
const textsOf = (...asked: Parameters<typeof nodesOf>) => nodesOf(...asked).map((node) => node.textContent);
const press = (nodes: FakeElement[], id: string) =>
  nodes.find((node) => node.getAttribute("data-testid") === id)?.onclick?.({});

beforeEach(() => {
  stored.clear();
  went.length = 0;
  again = 0;
  own = new Own();
});

test("who has none is offered this one, and has it after one click", () => {
  const nodes = nodesOf("z.a");
  assert.deepEqual(
    nodes.map((node) => node.textContent),
    ["keep", "share"],
  );
  press(nodes, "path-keep");
  assert.equal(mine(), "z.a");
  assert.equal(again, 1);
  assert.deepEqual(textsOf("z.a"), ["share", "forget", "yours"]);
});

test("a shipped one is opened as one's own", () => {
  press(nodesOf("attention", { packed: "z.shipped" }), "path-keep");
  assert.equal(mine(), "z.shipped");
  assert.deepEqual(went, ["http://a/?lecture=z.shipped&lang=zh"]);
});

test("another one takes the place of one's own only at the second click", () => {
  keepMine("z.mine");
  const nodes = nodesOf("z.a");
  assert.deepEqual(
    nodes.map((node) => node.textContent),
    ["own", "keep", "share"],
  );
  assert.equal(nodes[0]?.href, "http://a/?lecture=z.mine&lang=zh");
  press(nodes, "path-keep");
  assert.equal(mine(), "z.mine");
  assert.equal(nodes[1]?.textContent, "replace");
  press(nodes, "path-keep");
  assert.equal(mine(), "z.a");
});

test("it is forgotten at the second click", () => {
  keepMine("z.mine");
  const nodes = nodesOf("z.mine");
  press(nodes, "path-forget");
  assert.equal(mine(), "z.mine");
  press(nodes, "path-forget");
  assert.equal(mine(), "");
});

test("what one's own becomes step by step is kept; what another's becomes is not", () => {
  keepMine("z.mine");
  nodesOf("z.mine", { line: "1" });
  nodesOf("z.mine2", { line: "1" });
  nodesOf("z.mine4", { line: "1" }); // the browser may miss a step
  assert.equal(mine(), "z.mine4");
  nodesOf("z.other", { line: "2" });
  nodesOf("z.other2", { line: "2" });
  assert.equal(mine(), "z.mine4");
});

test("what comes from a file is kept where there was none", () => {
  nodesOf("z.file", { line: "1", is_imported: true });
  assert.equal(mine(), "z.file");
  nodesOf("z.file2", { line: "2", is_imported: true });
  assert.equal(mine(), "z.file");
});

test("what is no packed lecture is none", () => {
  for (const text of ["", "x", "z.", "z.<b>", "z.a b", "attention"]) {
    stored.set("viz my lecture", text);
    assert.equal(mine(), "");
  }
});

test("a browser that keeps nothing is no error", () => {
  const none = () => {
    throw new Error("no storage");
  };
  Object.assign(globalThis, { localStorage: { getItem: none, setItem: none, removeItem: none } });
  assert.equal(mine(), "");
  assert.equal(keepMine("z.a"), false);
  const nodes = nodesOf("z.a");
  assert.deepEqual(
    nodes.map((node) => node.textContent),
    ["keep", "share"],
  );
  press(nodes, "path-keep");
  assert.equal(again, 1);
  assert.deepEqual(textsOf("z.a"), ["keep", "share", "not_kept"]);
  own = new Own();
  assert.deepEqual(textsOf("z.file", { line: "1", is_imported: true }), ["keep", "share", "not_kept"]);
});
