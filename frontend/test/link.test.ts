import assert from "node:assert/strict";
import { test } from "node:test";
import { type Spelling, spelled, withView } from "../src/kit/link.ts";

const SPELLINGS: [Spelling, unknown, string][] = [
  ["index", 0, "1"],
  ["cell", [2, 4], "3-5"],
  ["indices", [0, 2], "1-3"],
  ["indices", [], ""],
  ["number", 0.25, "0.25"],
  ["number", -1, "-1"],
  ["text", "cross.2.1", "cross.2.1"],
  ["flag", true, "1"],
  ["flag", false, "0"],
  ["cell", null, "none"],
];

for (const [spelling, value, text] of SPELLINGS) {
  test(`${spelling}: ${JSON.stringify(value)} is ${text}`, () => assert.equal(spelled(spelling, value), text));
}

test("a view stands in the address beside what was there", () => {
  const link = [
    { field: "step", name: "step", spelling: "index", omit: 5 },
    { field: "isOpen", name: "open", spelling: "flag", omit: false },
    { field: "text", name: "q", spelling: "text" },
  ] as const;
  const href = "http://x/page?model=copy&step=2&q=old#part";
  assert.equal(
    withView(href, { step: 0, isOpen: true, text: "a&b=«é»" }, link),
    "http://x/page?model=copy&step=1&q=a%26b%3D%C2%AB%C3%A9%C2%BB&open=1#part",
  );
  assert.equal(withView(href, { step: 5, isOpen: false, text: null }, link), "http://x/page?model=copy#part");
});

test("what is left out is compared by value; what is not there is left out", () => {
  const link = [{ field: "node", name: "node", spelling: "cell", omit: [5, 0] }] as const;
  assert.equal(withView("http://x/?node=1-1", { node: [5, 0] }, link), "http://x/");
  assert.equal(withView("http://x/", { node: [0, 5] }, link), "http://x/?node=1-6");
  assert.equal(withView("http://x/", {}, [{ field: "a", name: "a", spelling: "index" }]), "http://x/");
});
