// A tab says who it was, once, and keeps who it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Settled } from "../../src/kit/settled.ts";
import { parent } from "../dom.ts";

const kept = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  },
});
const { TabPanel } = await import("../../src/training/tab_panel.ts");

function shown(visitor: string, asked: string, has_runs = false): (string | null)[] {
  const said: (string | null)[] = [];
  const settled = new Settled<{ readonly visitor: string | null }>(new Map());
  settled.adopt({ key: "tab", revision: "1", view: { visitor: null } }, (view) => said.push(view.visitor));
  const { element } = parent();
  new TabPanel(element, settled).show({ visitor, asked, has_runs });
  return said;
}

test("a new tab keeps its visitor, and says nothing", () => {
  kept.clear();
  assert.deepEqual(shown("me", ""), []);
  assert.deepEqual([...kept.values()], ["me"]);
});

test("a tab that was loaded anew says who it was, and keeps that until it has an answer", () => {
  kept.clear();
  shown("before", "");
  assert.deepEqual(shown("new", ""), ["before"]);
  assert.deepEqual([...kept.values()], ["before"]);
  assert.deepEqual(shown("before", "before"), []); // who it was is who it is
  assert.deepEqual([...kept.values()], ["before"]);
});

test("where nothing is left of the one before, it is somebody new", () => {
  kept.clear();
  shown("before", "");
  assert.deepEqual(shown("new", "before"), []);
  assert.deepEqual([...kept.values()], ["new"]);
});

test("another tab of the browser finds the visitor who has runs, and none who has not", () => {
  kept.clear();
  localStorage.clear();
  shown("before", "");
  kept.clear(); // the tab is closed
  assert.deepEqual(shown("new", ""), []);
  shown("trains", "", true);
  kept.clear();
  assert.deepEqual(shown("new", ""), ["trains"]);
  assert.deepEqual(shown("new", "trains"), []); // there was nothing of it any more
});
