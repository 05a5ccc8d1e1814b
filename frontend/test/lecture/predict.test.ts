// The answer sheets: what a person marks, what it scores, what is shown once it is revealed, and what a browser keeps.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { PLACES } from "../../src/kit/score.ts";
import { nextStep } from "../../src/lecture/next.ts";
import { PredictPanel } from "../../src/lecture/predict.ts";
import type { Asked } from "../../src/lecture/predict_sheet.ts";
import { type FakeElement, labels, parent, rowsOf } from "../dom.ts";

const LABELS = labels({
  score: "{score}%",
  cell: "{i}-{j}",
  cell_weight: "{cell} {weight}",
  cell_taken: "{cell} taken",
  cell_left: "{cell} left",
  not_allowed: "{cell} masked",
  marked: "{cell} own",
  writes: "{read}→{written}",
  token_rank: "{token} {rank}/{count} {probability}",
  no_token: "no {token}",
  number_both: "{yours} {true}",
  number_true: "{true}",
});
const asked = (kind: Asked["kind"], of: string, more: object, id = "q"): Asked =>
  ({ id, kind, of, task: "task", rule: "rule", titles: ["x", "y"], ...more }) as unknown as Asked;

const floats = (values: number[]) => ({ shape: [values.length], values: new Float32Array(values) });
const WEIGHTS = asked("cells", "weights", {
  truth: floats([1, 0, 0, 0.25, 0.75, 0, 0.5, 0.125, 0.375]),
  allowed: { shape: [3, 3], values: new Uint8Array([1, 0, 0, 1, 1, 0, 1, 1, 1]) },
  rows: ["a", "b", "c"],
  columns: ["k", "l", "m"],
  writes: ["b", "c", "d"],
});
const MASK = asked("cells", "mask", {
  truth: floats([0, 1, 0, 0]),
  allowed: { shape: [2, 2], values: new Uint8Array([1, 1, 1, 1]) },
  rows: ["a", "b"],
  columns: ["a", "b"],
  writes: [],
});
const TOKEN = asked("token", "next", {
  read: ["<s>", "Die"],
  tokens: ["Katze", "Kuh", "Maus", "e", "f", "g", "h", "i", "j", "Hund"],
  probabilities: floats([0.5, 0.25, 0.125, 0.05, 0.03, 0.02, 0.01, 0.008, 0.006, 0.001]),
});
const NUMBER = asked("number", "weight", { value: 0.4 });
const CHOICE = asked("choice", "question", { options: ["yes", "<b>no</b>"], right: 1 });
const TEXT = asked("text", "question", { read: [], tokens: [], probabilities: floats([]) });
const CURVE = asked("curve", "score_sd", {
  x: { shape: [2], values: new Float64Array([0, 10]) },
  y: { shape: [2], values: new Float64Array([0, 5]) },
  axes: { x: { low: 0, high: 10, log: 0 }, y: { low: 0, high: 10, log: 0 } },
});

let page: FakeElement;
let panel: PredictPanel;

// Shows the panel in the element after which the server's style rule hides everything until the reveal.
function open(content: Asked): void {
  const { fake, element } = parent();
  fake.className = "st-key-predict";
  page = fake;
  panel = new PredictPanel(element);
  panel.show(content, LABELS);
}

beforeEach(() => {
  panel?.remove();
  localStorage.clear();
});

test("a curve is as high as what is above it leaves, also where that is drawn later", () => {
  let resize = () => {};
  const [before, querySelector] = [globalThis.ResizeObserver, document.querySelector];
  const observed: unknown[] = [];
  Object.assign(document, { querySelector: () => "the page" });
  Object.assign(globalThis, {
    ResizeObserver: class {
      constructor(run: () => void) {
        resize = run;
      }
      observe(what: unknown): void {
        observed.push(what);
      }
      disconnect(): void {
        observed.pop();
      }
    },
  });
  open(CURVE);
  const high = Number(shown("curve").getAttribute("height"));
  let top = 60; // px
  shownForm().getBoundingClientRect = () => ({ left: 0, top, width: 1000, height: 0 });
  resize();
  assert.equal(Number(shown("curve").getAttribute("height")), high - 60);
  assert.deepEqual(observed, ["the page"]);
  top = 10_000;
  resize();
  assert.equal(Number(shown("curve").getAttribute("height")), 170);
  panel.remove();
  assert.deepEqual(observed, []);
  Object.assign(document, { querySelector });
  Object.assign(globalThis, { ResizeObserver: before });
});

const shown = (id: string) => page.byId(`predict-${id}`);
const text = (id: string) => shown(id).textContent;
const isHidden = () => page.getAttribute("data-revealed") !== "q";
const press = (id: string) => shown(id).onclick?.({ detail: 0 });
const submit = () => (shownForm() as unknown as { onsubmit(event: object): void }).onsubmit({ preventDefault() {} });
const shownForm = () => page.byId("predict");
// The cells of a class. The legend uses the same classes, without test ids.
const marked = (name: string) => page.classed(name).flatMap((cell) => cell.getAttribute("data-testid") ?? []);
const label = (i: number, j: number) => shown(`cell-${i}-${j}`).getAttribute("aria-label");

function type(id: string, value: string): void {
  shown(id).value = value;
  shown(id).oninput?.({});
}

test("before anything is marked there is nothing to reveal, and what the server hid stays hidden", () => {
  for (const content of [WEIGHTS, MASK, TOKEN, NUMBER, CURVE, CHOICE, TEXT]) {
    open(content);
    assert.ok(shown("reveal").disabled);
    submit();
    assert.ok(isHidden());
    assert.ok(shown("score").hidden);
    assert.ok(shown("again").hidden);
    panel.remove();
  }
});

test("of weights one cell in each row is marked, and none that is masked", () => {
  open(WEIGHTS);
  press("cell-1-1");
  press("cell-2-1");
  press("cell-2-2");
  press("cell-2-3"); // masked
  press("cell-3-3");
  const own = marked("own");
  assert.deepEqual(own, ["predict-cell-1-1", "predict-cell-2-2", "predict-cell-3-3"]);
  assert.equal(label(2, 3), "2-3 masked");
  assert.equal(text("cell-2-2"), ""); // nothing of the truth is there before
  assert.equal(page.classed("most").length, 0);
  assert.ok(!page.textContent.includes("0.75"));
  submit();
  assert.ok(!isHidden());
  // 1 + 0.75 + 0.375 of 1 + 0.75 + 0.5
  assert.equal(text("score"), `${Math.floor((100 * 2.125) / 2.25)}%`);
  assert.equal(label(2, 2), "2-2 0.7500 own");
  assert.deepEqual(marked("most"), ["predict-cell-1-1", "predict-cell-2-2", "predict-cell-3-1"]);
  assert.equal(rowsOf(shown("cells"))[1][0], "a→b");
  press("cell-3-1"); // what is revealed is not changed any more
  assert.equal(text("score"), "94%");
});

test("of a mask any cells are marked, and each of them is told right or wrong", () => {
  open(MASK);
  press("cell-1-2");
  press("cell-2-1");
  press("cell-2-1");
  press("cell-2-2");
  submit();
  assert.equal(text("score"), "75%");
  assert.deepEqual(marked("wrong"), ["predict-cell-2-2"]);
  assert.deepEqual([label(1, 1), label(1, 2)], ["1-1 left", "1-2 taken own"]);
});

test("where nothing was marked, nothing is wrong; the legend says what is there", () => {
  const legend = () => page.classed("legend")[0].children.map((entry) => entry.textContent);
  open(MASK);
  assert.deepEqual(legend(), []);
  press("show");
  assert.deepEqual([marked("wrong"), marked("masked"), legend()], [[], ["predict-cell-1-2"], ["taken"]]);
  press("again");
  press("cell-2-2");
  assert.deepEqual(legend(), ["yours"]);
  submit();
  assert.deepEqual(legend(), ["yours", "taken", "wrong"]);
});

test("a pointer that is drawn over a mask marks all cells that it meets, or takes them back", () => {
  open(MASK);
  const down = (id: string) => shown(id).onpointerdown?.({ button: 0, target: null });
  const over = (id: string) => shown("cells").onpointermove?.({ buttons: 1, target: shown(id) });
  down("cell-1-1");
  over("cell-1-2");
  over("cell-2-2");
  (shown("cells") as unknown as { onpointerup(): void }).onpointerup();
  over("cell-2-1");
  assert.equal(marked("own").length, 3);
  down("cell-1-2");
  over("cell-1-1");
  assert.deepEqual(marked("own"), ["predict-cell-2-2"]);
});

test("the arrow keys move through the cells, one of which Tab reaches", () => {
  open(WEIGHTS);
  const key = (name: string) => shown("cells").onkeydown?.({ key: name, preventDefault() {}, stopPropagation() {} });
  const reached = () => page.tags("button").filter((cell) => cell.tabIndex === 0 && cell.dataset.place !== undefined);
  for (const name of ["ArrowUp", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowRight"]) key(name);
  assert.deepEqual(
    reached().map((cell) => cell.getAttribute("data-testid")),
    ["predict-cell-3-2"],
  );
});

test("a token is shown among the likeliest, or after them at its rank", () => {
  open(TOKEN);
  type("token", "kuh");
  assert.deepEqual(rowsOf(shown("tokens")), []); // no tokens are listed before
  submit();
  assert.equal(text("score"), "50%");
  assert.equal(text("said"), "kuh 2/10 0.2500");
  assert.equal(rowsOf(shown("tokens")).length, 1 + 8);
  assert.deepEqual(
    page.classed("taken").map((row) => row.children[0].textContent),
    ["2"],
  );
  press("again");
  type("token", "Hund");
  submit();
  assert.deepEqual(rowsOf(shown("tokens")).at(-1)?.[0], "10");
  press("again");
  type("token", "Ochse");
  submit();
  assert.equal(text("score"), "0%");
  assert.equal(text("said"), "no Ochse");
});

test("of options one is chosen, and the right one is marked once it is revealed", () => {
  open(CHOICE);
  const [yes, no] = shown("choice").tags("input");
  const lines = shown("choice").tags("label");
  assert.equal(lines[1].children[1].textContent, "B. <b>no</b>");
  for (const [chosen, score] of [
    [yes, "0%"],
    [no, "100%"],
  ] as const) {
    for (const one of [yes, no]) Object.assign(one, { checked: one === chosen });
    (chosen as unknown as { onchange(): void }).onchange();
    assert.equal(page.classed("right").length, 0);
    submit();
    assert.equal(text("score"), score);
    assert.deepEqual(page.classed("right"), [lines[1]]);
    assert.equal(text("said"), "right_is");
    press("again");
  }
});

test("an opinion and a text have no score", () => {
  open(asked("choice", "question", { options: ["yes", "no"], right: null }));
  Object.assign(shown("choice").tags("input")[0], { checked: true });
  (shown("choice").tags("input")[0] as unknown as { onchange(): void }).onchange();
  submit();
  assert.ok(shown("score").hidden);
  assert.equal(text("said"), "");
  panel.remove();
  localStorage.clear();
  open(TEXT);
  type("token", "because");
  submit();
  assert.ok(shown("score").hidden && shown("tokens").hidden);
});

test("a number stands on one line with the model's", () => {
  open(NUMBER);
  type("number", "viel");
  assert.equal(text("said"), "no_number");
  assert.ok(shown("reveal").disabled);
  type("number", "0,3");
  submit();
  assert.equal(text("score"), "75%");
  assert.equal(text("said"), "0.3000 0.4000");
  assert.equal(shown("line").tags("circle").length, 2);
});

test("a curve is drawn by a pointer or by keys, and scored by its distance", () => {
  open(CURVE);
  const picture = shown("curve") as unknown as Record<string, (event: object) => void>;
  picture.setPointerCapture = () => {};
  picture.hasPointerCapture = () => true;
  const [width, height] = [Number(shown("curve").getAttribute("width")), Number(shown("curve").getAttribute("height"))];
  const at = (x: number, y: number) => ({
    button: 0,
    clientX: 88 + x * (width - 88 - 24),
    clientY: 16 + (1 - y) * (height - 16 - 44),
    preventDefault() {},
  });
  assert.ok(!page.all((node) => node.getAttribute("data-testid") === "predict-truth").length);
  picture.onpointerdown(at(0, 0));
  picture.onpointermove(at(0.5, 0.25));
  picture.onpointermove(at(1, 0.25));
  submit();
  // From the middle on the drawn curve is (n - 16) / 64 too low: 136 / 64 over all 33 places. The truth rises by 0.5.
  assert.equal(text("score"), "87%"); // 1 - 136 / 64 / 33 / 0.5
  assert.equal(page.all((node) => node.getAttribute("data-testid") === "predict-truth").length, 1);
  press("again");
  const key = (n: number, name: string) =>
    shown(`handle-${n}`).onkeydown?.({ key: name, preventDefault() {}, stopPropagation() {} });
  key(1, "ArrowUp");
  key(2, "ArrowDown");
  const guess = kept().guess as (number | null)[];
  assert.deepEqual(guess.slice(0, 6), [0.52, 0.51, 0.5, 0.49, 0.48, null]);
  assert.equal(guess.length, PLACES);
});

test("the peak of a curve is drawn where it is, between two places too", () => {
  open({
    ...CURVE,
    x: { shape: [3], values: new Float64Array([0, 1.9, 10]) },
    y: { shape: [3], values: new Float64Array([0, 8, 0]) },
  } as unknown as Asked);
  press("show");
  const [width, height] = [Number(shown("curve").getAttribute("width")), Number(shown("curve").getAttribute("height"))];
  const points = [...(shown("truth").getAttribute("d") ?? "").matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [
    +x,
    +y,
  ]);
  const [x, y] = points.reduce((top, one) => (one[1] < top[1] ? one : top));
  assert.ok(Math.abs(x - (88 + 0.19 * (width - 88 - 24))) < 0.1);
  assert.ok(Math.abs(y - (16 + 0.2 * (height - 16 - 44))) < 0.1);
});

const kept = () => JSON.parse(localStorage.getItem("viz predict q") ?? "null");

test("what was predicted and revealed is there again after a reload, and of another question nothing is", () => {
  open(NUMBER);
  type("number", "0.3");
  panel.remove();
  open(NUMBER);
  assert.equal(shown("number").value, "0.3");
  assert.ok(isHidden());
  submit();
  panel.remove();
  open(NUMBER);
  assert.ok(!isHidden());
  assert.equal(text("score"), "75%");
  panel.show({ ...NUMBER, id: "other" }, LABELS);
  assert.equal(page.getAttribute("data-revealed"), null);
  assert.equal(shown("number").value, "");
});

test("whatever was kept, nothing breaks", () => {
  const strange = [
    null,
    7,
    "x",
    [],
    {},
    [[]],
    [-1, 1e9, 0.5, "0"],
    Array(PLACES).fill("1"),
    Array(PLACES).fill(7),
    true,
  ];
  for (const guess of strange)
    for (const content of [WEIGHTS, MASK, TOKEN, NUMBER, CURVE])
      for (const isRevealed of [true, false, "yes", null]) {
        localStorage.setItem("viz predict q", JSON.stringify({ guess, isRevealed }));
        open(content);
        assert.equal(isHidden(), isRevealed !== true);
        panel.remove();
      }
  for (const text of ["", "{", "null", "3", '"x"', '{"guess": 1}']) {
    localStorage.setItem("viz predict q", text);
    open(NUMBER);
    assert.ok(isHidden());
    panel.remove();
  }
});

test("who does not want to predict is shown, without a score; to try again hides it again", () => {
  open(NUMBER);
  type("number", "0.3");
  press("show");
  assert.ok(!isHidden());
  assert.ok(shown("score").hidden);
  assert.equal(text("said"), "0.4000");
  press("again");
  assert.ok(isHidden());
  assert.equal(shown("number").value, "");
});

test("keys with Alt or Ctrl are the browser's, in cells and on a curve", () => {
  for (const modifier of ["altKey", "ctrlKey", "metaKey"]) {
    let taken = 0;
    const event = { key: "ArrowLeft", [modifier]: true, preventDefault: () => taken++, stopPropagation: () => taken++ };
    open(WEIGHTS);
    shown("cells").onkeydown?.(event);
    panel.remove();
    open(CURVE);
    shown("handle-2").onkeydown?.(event);
    shown("handle-2").onkeydown?.({ ...event, key: "ArrowUp" });
    assert.equal(taken, 0);
    assert.equal(kept(), null);
    panel.remove();
  }
});

test("a new message with the same question leaves what is being typed, and what no browser kept", () => {
  open(NUMBER);
  type("number", "0,");
  type("number", "-");
  const field = shown("number");
  panel.show({ ...NUMBER }, LABELS);
  assert.equal(shown("number"), field); // the same element, so it keeps the focus
  assert.equal(field.value, "-");
  type("number", "0.3");
  submit();
  localStorage.clear(); // a browser that keeps nothing
  panel.show({ ...NUMBER, task: "in another language" }, LABELS);
  assert.equal(text("task"), "in another language");
  assert.equal(shown("number").value, "0.3");
  assert.equal(text("score"), "75%");
  assert.ok(!isHidden());
  panel.remove();
});

test("what is hidden hears no keys, and a lecture hears its own, whoever came first", () => {
  open(NUMBER);
  const heard: string[] = [];
  const hear = (event: Event) => heard.push((event as KeyboardEvent).key);
  document.addEventListener("keydown", hear, { capture: true });
  for (const key of ["3", "PageDown", "p", "x", "n"]) {
    const event = new Event("keydown");
    for (const [name, value] of Object.entries({ key, composedPath: () => [] }))
      Object.defineProperty(event, name, { value });
    document.dispatchEvent(event);
  }
  document.removeEventListener("keydown", hear, { capture: true });
  assert.deepEqual(heard, ["p", "n"]);
  panel.remove();
});

test("a cell that is marked is painted with its row, and of a mask alone", () => {
  const painted = (content: Asked, id: string) => {
    open(content);
    const cells = page.tags("button").filter((cell) => cell.dataset.place !== undefined);
    for (const cell of cells) cell.setAttribute("aria-label", "as it was");
    press(id);
    panel.remove();
    return cells.filter((cell) => cell.getAttribute("aria-label") !== "as it was").length;
  };
  assert.equal(painted(WEIGHTS, "cell-2-1"), 3);
  assert.equal(painted(MASK, "cell-2-1"), 1);
});

test("to go on first reveals, and then goes on", () => {
  open(NUMBER);
  const step = nextStep();
  assert.equal(step?.does, "reveal");
  step?.take();
  assert.ok(!isHidden());
  assert.equal(nextStep(), null);
  panel.remove();
  open(WEIGHTS);
  panel.remove();
  assert.equal(nextStep(), null); // a sheet that is gone takes nothing
});
