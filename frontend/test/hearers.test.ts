import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Hearers } from "../src/kit/hearers.ts";

test("all hear what is told, in the order in which they came, until they stop", () => {
  const heard: string[] = [];
  const { hear, tell } = new Hearers<[string, number]>();
  const stop = hear((name, n) => heard.push(`first ${name} ${n}`));
  hear((name, n) => heard.push(`second ${name} ${n}`));
  tell("a", 1);
  stop();
  tell("b", 2);
  assert.deepEqual(heard, ["first a 1", "second a 1", "second b 2"]);
});

test("who is stopped by one before hears no more; who begins meanwhile hears the next", () => {
  const heard: string[] = [];
  const { hear, tell } = new Hearers<[]>();
  hear(() => {
    stop();
    hear(() => heard.push("later"));
  });
  const stop = hear(() => heard.push("stopped"));
  tell();
  assert.deepEqual(heard, []);
  tell();
  assert.deepEqual(heard, ["later"]);
});

test("where one fails, the others hear all the same, and the browser reports it", () => {
  const heard: string[] = [];
  const later: (() => void)[] = [];
  mock.method(globalThis, "queueMicrotask", (run: () => void) => later.push(run));
  const { hear, tell } = new Hearers<[]>();
  hear(() => {
    throw new Error("failed");
  });
  hear(() => heard.push("other"));
  tell();
  mock.restoreAll();
  assert.deepEqual(heard, ["other"]);
  assert.throws(() => later[0]?.(), /failed/);
});
