// Predict, then reveal, in a room: the lecturer's page asks and reveals, the students' send, and all see how the class
// answered.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  type Classroom,
  hearSaid,
  type Question,
  type Said,
  setClassroom,
  type Tally,
} from "../../src/kit/classroom.ts";
import { PLACES } from "../../src/kit/score.ts";
import { nextStep } from "../../src/lecture/next.ts";
import { PredictPanel } from "../../src/lecture/predict.ts";
import { countsOf, medianOf } from "../../src/lecture/predict_number.ts";
import type { Asked } from "../../src/lecture/predict_sheet.ts";
import { type FakeElement, labels, parent, rowsOf } from "../dom.ts";

const LABELS = labels({
  answered: "{count} of {members}",
  cell: "{i}-{j}",
  cell_count: "{cell}: {count}/{answers}",
  class: "class {count}",
  class_median: "class {count} median {median}",
  beyond: "beyond {count}",
  number_true: "true {true}",
  number_both: "own {yours} true {true}",
});
const floats = (values: number[]) => ({ shape: [values.length], values: new Float32Array(values) });
const asked = (kind: Asked["kind"], of: string, more: object, id = "q"): Asked =>
  ({ id, kind, of, task: "task", rule: "rule", titles: ["x", "y"], ...more }) as unknown as Asked;
const NUMBER = asked("number", "weight", { value: 0.4 });
const TOKEN = asked("token", "next", {
  read: ["<s>"],
  tokens: ["Katze", "Kuh"],
  probabilities: floats([0.75, 0.25]),
});
const CELLS = asked("cells", "mask", {
  truth: floats([0, 1, 0, 0]),
  allowed: { shape: [2, 2], values: new Uint8Array([1, 1, 0, 1]) },
  rows: ["a", "b"],
  columns: ["a", "b"],
  writes: [],
});
const CURVE = asked("curve", "score_sd", {
  x: { shape: [2], values: new Float64Array([0, 10]) },
  y: { shape: [2], values: new Float64Array([0, 5]) },
  axes: { x: { low: 0, high: 10, log: 0 }, y: { low: 0, high: 10, log: 0 } },
});
const question = (open: boolean, id = "q"): Question => ({
  id,
  kind: "number",
  size: 1,
  columns: 0,
  title: "task",
  open,
  unread: false,
});
const room = (more: Partial<Classroom>): Classroom => ({
  code: "KQRTB",
  part: "follows",
  members: 30,
  answered: 0,
  question: null,
  tally: null,
  counted: null,
  refused: null,
  ...more,
});

let page: FakeElement;
let panel: PredictPanel | null = null;
let said: Said[];
let stop = () => {};

function open(content: Asked): void {
  const { fake, element } = parent();
  fake.className = "st-key-predict";
  page = fake;
  panel = new PredictPanel(element);
  panel.show(content, LABELS);
}

beforeEach(() => {
  setClassroom(null); // before the panel of the test before is gone: it would hear it
  stop();
  panel?.remove();
  localStorage.clear();
  said = [];
  stop = hearSaid((what) => said.push(what));
});

const shown = (id: string) => page.byId(`predict-${id}`);
const isHidden = () => page.getAttribute("data-revealed") !== "q";
const submit = () =>
  (page.byId("predict") as unknown as { onsubmit(event: object): void }).onsubmit({ preventDefault() {} });
const type = (text: string) => {
  shown("number").value = text;
  shown("number").oninput?.({});
};

test("the lecturer's page asks once, counts, and reveals to all", () => {
  setClassroom(room({ part: "leads" }));
  open(CELLS);
  assert.deepEqual(said, [{ ask: { id: "q", kind: "cells", size: 4, columns: 2, title: "task" } }]);
  setClassroom(room({ part: "leads", question: { ...question(true), kind: "cells" }, answered: 7 }));
  assert.equal(said.length, 1);
  assert.equal(shown("room").textContent, "7 of 30");
  assert.equal(shown("reveal").disabled, false); // without an own prediction
  submit();
  const truth = { values: [0, 1, 0, 0], rows: ["a", "b"], columns: ["a", "b"], mask: true };
  assert.deepEqual(said[1], { reveal: { id: "q", truth } }); // and not a moment before
  assert.equal(isHidden(), false);
  panel?.remove();
  panel = null;
  assert.deepEqual(said[2], { ask: null });
});

test("what is true goes to the room with the reveal, by which each kind scores as it does here", () => {
  const truths = [NUMBER, TOKEN, CURVE].map((content) => {
    setClassroom(room({ part: "leads" }));
    open(content);
    submit();
    panel?.remove();
    panel = null;
    const told = said.flatMap((what) => ("reveal" in what ? [what.reveal.truth] : []));
    said = [];
    localStorage.clear();
    return told;
  });
  const heights = Array.from({ length: PLACES }, (_, n) => n / (PLACES - 1) / 2);
  const wordless = { rows: [], columns: [], mask: false };
  assert.deepEqual(truths, [
    [{ ...wordless, values: [0.4] }],
    [{ ...wordless, values: [0.75, 0.25], rows: ["Katze", "Kuh"] }],
    [{ ...wordless, values: heights }],
  ]);
});

test("what no room would take is not said, and the reveal is", () => {
  const many = Array.from({ length: 5000 }, (_, n) => `token ${n}`);
  const flat = asked("token", "next", { read: ["<s>"], tokens: many, probabilities: floats(many.map(() => 0.2)) });
  for (const content of [flat, asked("number", "weight", { value: Number.NaN })]) {
    setClassroom(room({ part: "leads" }));
    open(content);
    submit();
    assert.deepEqual(said[1], { reveal: { id: "q", truth: null } });
    panel?.remove();
    panel = null;
    said = [];
    localStorage.clear();
  }
});

test("a room that is opened while a scene asks is asked, too", () => {
  open(NUMBER);
  assert.deepEqual(said, []);
  setClassroom(room({ part: "leads" }));
  assert.equal(said.length, 1);
});

test("a student sends, may change it, and sees it revealed when the lecturer does", () => {
  setClassroom(room({ question: question(true) }));
  open(NUMBER);
  assert.deepEqual(
    [shown("show").hidden, shown("reveal").textContent, shown("room").textContent],
    [true, "send", "waits"],
  );
  assert.equal(shown("reveal").disabled, true);
  type("0,25");
  submit();
  assert.deepEqual(said, [{ answer: { id: "q", guess: 0.25 } }]);
  assert.equal(isHidden(), true);
  assert.deepEqual([shown("room").textContent, shown("reveal").disabled], ["sending", true]);
  setClassroom(room({ question: question(true), counted: "q" }));
  assert.equal(shown("room").textContent, "sent");
  type("0.5");
  assert.deepEqual([shown("room").textContent, shown("reveal").disabled], ["waits", false]);
  submit();
  assert.deepEqual(said[1], { answer: { id: "q", guess: 0.5 } });
  setClassroom(room({ question: question(false), counted: "q" }));
  assert.equal(isHidden(), false);
  assert.deepEqual([shown("again").hidden, shown("said").textContent], [true, "own 0.5000 true 0.4000"]);
});

test("who loads the page anew sees that an answer is counted, and may still change it", () => {
  setClassroom(room({ question: question(true) }));
  open(NUMBER);
  type("0.25");
  submit();
  panel?.remove();
  setClassroom(room({ question: question(true), counted: "q" }));
  open(NUMBER);
  assert.deepEqual(
    [shown("number").value, shown("room").textContent, shown("reveal").disabled],
    ["0.25", "sent", true],
  );
  type("0.5");
  assert.deepEqual([shown("room").textContent, shown("reveal").disabled], ["waits", false]);
});

test("a student's own step through the lecture reveals nothing to them", () => {
  setClassroom(room({ question: question(true) }));
  open(NUMBER);
  assert.equal(nextStep(), null); // nobody took it: the lecture goes on
  assert.equal(isHidden(), true);
});

test("an answer that is not taken is said to be so", () => {
  setClassroom(room({ question: question(true) }));
  open(NUMBER);
  type("1");
  submit();
  setClassroom(room({ question: question(true), refused: "q" }));
  assert.equal(shown("room").textContent, "not_taken");
});

test("who comes after it was revealed sees it revealed; who explores another question is asked alone", () => {
  setClassroom(room({ question: question(false) }));
  open(NUMBER);
  assert.equal(isHidden(), false);
  panel?.remove();
  setClassroom(room({ part: "explores", question: question(true, "other") }));
  open(NUMBER);
  assert.equal(isHidden(), true);
  assert.deepEqual([shown("show").hidden, shown("reveal").textContent], [false, "reveal"]);
  type("1");
  submit();
  assert.deepEqual([said, isHidden()], [[], false]);
});

test("what was tried before the class came is not what is said in the room", () => {
  open(NUMBER);
  type("3");
  submit();
  assert.equal(isHidden(), false);
  setClassroom(room({ part: "leads" }));
  assert.deepEqual([isHidden(), shown("number").value], [true, ""]);
  assert.equal(said.length, 1);
  setClassroom(null);
  assert.deepEqual([isHidden(), shown("number").value], [false, "3"]);
});

const revealed = (content: Asked, tally: Tally) => {
  setClassroom(room({ question: { ...question(false), kind: tally.kind }, tally }));
  open(content);
};

test("the class's marks stand in the same matrix once more, each with its number", () => {
  revealed(CELLS, { id: "q", kind: "cells", answers: 4, counts: [0, 3, 0, 1] });
  assert.equal(
    page
      .byId("predict-class")
      .tags("span")
      .map((cell) => cell.title)
      .join(" "),
    "1-1: 0/4 1-2: 3/4 2-1: 0/4 2-2: 1/4",
  );
  assert.deepEqual(rowsOf(page.byId("predict-class")), [
    ["", "a", "b"],
    ["a", "0", "3"],
    ["b", "", "1"],
  ]); // masked: no number
});

test("the class's tokens stand by how often they were typed, the model's own marked", () => {
  revealed(TOKEN, {
    id: "q",
    kind: "token",
    answers: 9,
    tokens: [
      ["Kuh", 5],
      ["katze", 2],
    ],
    others: 10,
  });
  assert.deepEqual(rowsOf(page.byId("predict-class")), [
    ["class 9", "", "count"],
    ["Kuh", "", "5"],
    ["katzemodel", "", "2"],
    ["others", "", "10"],
  ]);
  const fills = page
    .byId("predict-class")
    .tags("span")
    .filter(({ className }) => className === "fill");
  assert.deepEqual(
    fills.map((fill) => fill.style.cssText),
    ["width: 50.00%", "width: 20.00%", "width: 100.00%"],
  ); // none runs out of its column
});

test("the class's numbers are bars on the line, and those that it is too short for are counted", () => {
  const near = Array.from({ length: 38 }, (_, n) => n / 50);
  revealed(NUMBER, { id: "q", kind: "number", answers: 40, values: [...near, 500, 1e300] });
  const bars = page.tags("rect").map((bar) => Number(bar.getAttribute("data-count")));
  assert.equal(
    bars.reduce((sum, count) => sum + count, 0),
    38,
  );
  assert.equal(shown("said").textContent, "true 0.4000 class 40 median 0.3900 beyond 2");
});

test("the median is the middle value, or lies between the two", () => {
  assert.deepEqual(
    [medianOf([3]), medianOf([1, 2, 9]), medianOf([1, 2]), medianOf([1e308, 1.5e308])],
    [3, 2, 1.5, 1.25e308],
  );
});

test("a value lies in one part of the line, the last one in the last", () => {
  assert.deepEqual(countsOf([0, 1, 2], 0, 1).filter(Boolean), [1, 1]);
  assert.equal(countsOf([1], 0, 1).at(-1), 1);
});

test("the class's curves are heat behind the true one, the darkest where most drew", () => {
  const counts = Array.from({ length: PLACES * 24 }, () => 0);
  counts[0] = 2;
  counts[24 + 23] = 4;
  revealed(CURVE, { id: "q", kind: "curve", answers: 4, counts });
  const heat = page.tags("rect").filter((rect) => rect.className === "class");
  assert.deepEqual(
    heat.map((rect) => rect.getAttribute("fill-opacity")),
    ["0.510", "0.900"],
  );
  assert.ok(Number(heat[0].getAttribute("y")) > Number(heat[1].getAttribute("y")));
});

test("a class whose words the lecturer reads first is told so", () => {
  const unread = { ...question(false), kind: "token" as const, unread: true };
  revealed(TOKEN, { id: "other", kind: "token", answers: 0, tokens: [], others: 0 });
  setClassroom(room({ question: unread }));
  assert.equal(shown("room").textContent, "unread");
  setClassroom(room({ question: { ...unread, unread: false } }));
  assert.ok(shown("room").hidden);
});

test("a tally of another question, or of another kind, is not shown", () => {
  revealed(NUMBER, { id: "other", kind: "number", answers: 2, values: [1, 2] });
  assert.equal(page.tags("rect").length, 0);
  setClassroom(
    room({ question: question(false), tally: { id: "q", kind: "token", answers: 1, tokens: [["a", 1]], others: 0 } }),
  );
  assert.equal(page.tags("rect").length, 0);
});
