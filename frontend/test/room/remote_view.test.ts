// What a lecturer alone has in the box of a room.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TallyOf } from "../../src/kit/classroom.ts";
import { RulesForm } from "../../src/room/rules.ts";
import type { Rules } from "../../src/room/state.ts";
import { Texts } from "../../src/room/texts.ts";
import { type FakeElement, labels } from "../dom.ts";

const all = (root: unknown, name: string): FakeElement[] =>
  (root as FakeElement).querySelectorAll(name) as FakeElement[];

test("a rule is set as its box is ticked, and shown as the room has it", () => {
  const said: unknown[] = [];
  const form = new RulesForm((rule, isSet) => said.push([rule, isSet]));
  const rules: Rules = { closed: false, here: true, read: false };
  form.show(rules, labels());
  const boxes = all(form.element, "input") as unknown as HTMLInputElement[];
  assert.deepEqual(
    boxes.map(({ checked }) => checked),
    [false, true, false],
  );
  boxes[2].checked = true;
  boxes[2].onchange?.({} as Event);
  assert.deepEqual(said, [["read", true]]);
  form.show(null, labels());
  assert.ok(form.element.hidden); // somebody else is in the room
});

test("texts are listed as text, each with how often and a way to take it away", () => {
  const said: unknown[] = [];
  const texts = new Texts({ show: () => said.push("show"), remove: (text) => said.push(text) });
  const tokens: TallyOf<"token">["tokens"] = [
    ["<b>rude</b>", 2],
    ["Katze", 1],
  ];
  texts.show({ id: "q", kind: "token", answers: 5, tokens, others: 2 }, labels());
  assert.deepEqual(
    all(texts.element, "bdi").map(({ textContent }) => textContent),
    ["<b>rude</b>", "Katze"],
  );
  const [first, , show] = all(texts.element, "button") as unknown as HTMLButtonElement[];
  first.onclick?.({} as PointerEvent);
  show.onclick?.({} as PointerEvent);
  assert.deepEqual(said, ["<b>rude</b>", "show"]);
  texts.show(null, labels());
  assert.ok(texts.element.hidden);
});
