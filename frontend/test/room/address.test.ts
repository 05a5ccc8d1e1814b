import assert from "node:assert/strict";
import { test } from "node:test";
import { isElsewhere, said } from "../../src/room/address.ts";

const BASE = "http://app/";

test("an address is the page and its parameters in order, without what is each browser's own", () => {
  const href = `${BASE}attention?stage=scores&room=KQRTB&present=1&hide=line&embed=true&head=2&lang=zh`;
  assert.equal(said(href, BASE, "en"), "attention?head=2&lang=zh&stage=scores");
});

test("it says the language, which also decides about the model, and stands below whatever the app does", () => {
  assert.equal(said("http://host/app/", "http://host/app/", "zh"), "?lang=zh");
  assert.equal(said("http://host/app/heads/?layer=1", "http://host/app/", "en"), "heads?lang=en&layer=1");
});

test("what somebody typed comes through as it is", () => {
  const text = "<s> $x$ & 你好 #1";
  const url = new URL(BASE);
  url.searchParams.set("source", text);
  const address = said(url.href, BASE, "en");
  assert.doesNotMatch(address, /[#\s]/);
  assert.equal(new URL(address, BASE).searchParams.get("source"), text);
});

test("elsewhere is another page, model, text, language or scene, and not another head", () => {
  const at = "attention?head=1&lang=en&model=a&source=x";
  assert.equal(isElsewhere(at, "attention?head=2&lang=en&model=a&source=x"), false);
  for (const other of [
    "heads?head=1&lang=en&model=a&source=x",
    "attention?head=1&lang=zh&model=a&source=x",
    "attention?head=1&lang=en&model=b&source=x",
    "attention?head=1&lang=en&model=a&source=y",
    `${at}&target=t`,
    `${at}&scene=2`,
  ])
    assert.equal(isElsewhere(at, other), true, other);
  // A page that is opened without a model names the usual one, as each of the class does.
  const opened = "attention?head=1&lang=en&source=x";
  assert.equal(isElsewhere(at, opened), false);
  assert.equal(isElsewhere(opened, at), true);
  assert.equal(isElsewhere(at, "heads?lang=en&source=x"), true);
});
