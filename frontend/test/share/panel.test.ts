// The box that shares: where in the lecture a view goes, and which fields that has.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeElement, labels, parent } from "../dom.ts";

Object.assign(FakeElement.prototype, {
  showModal(this: FakeElement) {
    this.open = true;
  },
});
Object.assign(globalThis, { parent: globalThis.self });
document.title = "Masks";
const { SharePanel } = await import("../../src/share/panel.ts");
const { keepMine, mine } = await import("../../src/share/mine.ts");
type Shown = Parameters<InstanceType<typeof SharePanel>["show"]>[0];
type View = ConstructorParameters<typeof SharePanel>[1]["view"];

const PLACES = [
  ["", "A new scene"],
  ["1+", "1 Masks: its next step"],
  ["1", "1 Masks: in place of its view"],
] as const;
const FIELDS = ["share-title", "share-question", "share-note"];

let asked: View[];
let box: FakeElement;
let show: (shared: Partial<Shown>) => void;
const field = (id: string): FakeElement => box.byId(id);
const shownFields = (): string[] =>
  FIELDS.filter((id) => !field(id).parent?.hidden).map((id) => field(id).parent?.children[0].textContent ?? "");
const choose = (place: string): void => {
  field("share-place").value = place;
  Reflect.get(field("share-place"), "onchange")({});
};
const submit = (): void => box.tags("form").forEach((form) => Reflect.get(form, "onsubmit")({ preventDefault() {} }));

beforeEach(() => {
  localStorage.clear();
  location.href = "http://app/masks?lesson=matrices";
  asked = [];
  const { element, fake } = parent();
  const state = { view: {}, change: (view: View) => asked.push(view), commitIn: () => {} };
  const panel = new SharePanel(element, state as unknown as ConstructorParameters<typeof SharePanel>[1]);
  box = fake;
  show = (shared) => {
    const whole = { address: location.href, limits: [120, 400, 4000, 300], long: 2000, can_add: true, ...shared };
    panel.show(whole, labels(), false);
  };
  show({ address: "" });
  keepMine("z.mine");
  field("share").onclick?.({});
});

test("an opened box asks where in the lecture the view may go", () => {
  assert.equal(asked.at(-1)?.mine, "z.mine");
  assert.equal(asked.at(-1)?.asked, 0);
  show({ places: PLACES, at: "1+" });
  assert.deepEqual(
    field("share-place").children.map((option) => [option.value, option.textContent]),
    PLACES.map((place) => [...place]),
  );
  assert.equal(field("share-place").value, "1+");
});

test("each place has its fields, and what was typed stays", () => {
  show({ places: PLACES, at: "" });
  assert.deepEqual(shownFields(), ["title", "question", "note"]);
  field("share-question").value = "Why?";
  choose("1+");
  assert.deepEqual(shownFields(), ["says"]);
  assert.equal(Reflect.get(field("share-question"), "maxLength"), 300);
  choose("1");
  assert.deepEqual(shownFields(), []);
  choose("");
  assert.equal(field("share-question").value, "Why?");
  assert.equal(Reflect.get(field("share-question"), "maxLength"), 400);
});

test("whoever chose a place keeps it until the lecture is another one", () => {
  show({ places: PLACES, at: "1+" });
  choose("1");
  show({ places: PLACES, at: "1+" });
  assert.equal(field("share-place").value, "1");
  show({});
  assert.equal(field("share-place").value, "1");
  show({ places: [...PLACES, ["1.2", "1 Masks: in place of step 2"]], at: "1+" });
  assert.equal(field("share-place").value, "1+");
});

test("a view is sent with its place, and the changed lecture is kept", () => {
  show({ places: PLACES, at: "1+" });
  field("share-question").value = "Look.\ud800";
  submit();
  const sent = asked.at(-1);
  assert.deepEqual([sent?.place, sent?.question, sent?.mine, sent?.asked], ["1+", "Look.\ufffd", "z.mine", 1]);
  show({ answer: { asked: 1, refused: "<b>No.</b>", is_damaged: false } });
  assert.equal(field("share-answer").textContent, "<b>No.</b>");
  submit();
  show({ answer: { asked: 2, mine: "z.next", said: "Added." } });
  assert.match(field("share-answer").textContent, /^Added\. open/);
  assert.equal(mine(), "z.next");
});

test("a lecture that is begun anew begins with a scene", () => {
  show({ places: PLACES, at: "1+" });
  submit();
  show({ answer: { asked: 1, refused: "Damaged.", is_damaged: true } });
  field("share-answer").tags("button")[0]?.onclick?.({});
  assert.deepEqual([asked.at(-1)?.mine, asked.at(-1)?.place], ["", ""]);
});
