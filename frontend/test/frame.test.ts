import assert from "node:assert/strict";
import { test } from "node:test";
import { CanvasFrame, type FrameEvents } from "../src/kit/frame.ts";
import { type FakeCanvas, type FakeElement, labels, read } from "./dom.ts";

function made(events: Partial<FrameEvents> = {}) {
  const nothing = () => {};
  const all = { onPoint: nothing, onLeave: nothing, onClick: nothing, onFocus: nothing, fill: nothing };
  const frame = new CanvasFrame("one", { ...all, onKey: () => false, ...events }, "xy", "matrix");
  frame.setLabels(labels());
  return { frame, canvas: read(frame.canvas) as FakeCanvas, element: read(frame.element) };
}

test("the numbers are put into the table when it is opened, and again with what is said while it is open", () => {
  const filled: unknown[] = [];
  const { frame, element } = made({ fill: (table) => filled.push(table) });
  const button = element.byId("xy-table-toggle-one");
  const [box] = element.classed("table-box");
  const say = () => frame.say({ spoken: "spoken", readout: ["text"], isQuiet: true });
  const state = () => [box.hidden, button.getAttribute("aria-expanded"), filled.length];
  say();
  assert.deepEqual(state(), [true, "false", 0]);
  button.onclick?.(null);
  assert.deepEqual(state(), [false, "true", 1]);
  say();
  assert.deepEqual(state(), [false, "true", 2]);
  button.onclick?.(null);
  assert.deepEqual(state(), [true, "false", 2]);
  assert.equal(filled[0], element.byId("xy-table-one"));
});

test("a readout is quiet where it is only a hint, and the canvas is described by its summary", () => {
  const { frame, canvas, element } = made();
  const readout = element.byId("xy-readout-one");
  frame.say({ spoken: "all in a sentence", readout: ["a ", "hint"], isQuiet: true });
  assert.deepEqual([readout.textContent, readout.classList.contains("quiet")], ["a hint", true]);
  frame.read(["a number"], false);
  assert.deepEqual([readout.textContent, readout.classList.contains("quiet")], ["a number", false]);
  assert.equal(canvas.getAttribute("aria-label"), "all in a sentence");
  frame.summarise(["in ", "short"]);
  const summary = element.byId("xy-summary-one");
  assert.equal(summary.textContent, "in short");
  assert.equal(canvas.getAttribute("aria-describedby"), summary.id);
  assert.notEqual(summary.id, made().element.byId("xy-summary-one").id);
});

test("tools stand beside each other, each with its label", () => {
  const { frame, element } = made();
  let copied = 0;
  frame.addTool("copy", () => copied++);
  frame.setLabels({ ...labels(), table: "Table", copy: "Copy" });
  const [tools] = element.classed("tools");
  assert.deepEqual(
    tools.children.map((tool) => tool.textContent),
    ["Table", "Copy"],
  );
  element.byId("xy-copy-one").onclick?.(null);
  assert.equal(copied, 1);
});

test("the Tab key stops at one of the tools, and the arrow keys go on to the others", () => {
  const { frame, element } = made();
  frame.addTool("copy", () => {});
  const [tools] = element.classed("tools");
  const stops = () => tools.children.map((tool) => tool.tabIndex);
  const press = (key: string, n: number) =>
    tools.onkeydown?.({ key, target: tools.children[n], preventDefault() {}, stopPropagation() {} });
  assert.deepEqual(stops(), [0, -1]);
  press("ArrowRight", 1);
  press("ArrowDown", 0);
  assert.deepEqual(stops(), [0, -1]);
  press("ArrowRight", 0);
  assert.deepEqual(stops(), [-1, 0]);
  press("ArrowLeft", 1);
  assert.deepEqual(stops(), [0, -1]);
});

test("a key that was used goes no further; shortcuts of the browser are never used", () => {
  const keys: string[] = [];
  const { canvas } = made({ onKey: (key) => keys.push(key) > 0 && key === "Enter" });
  const press = (key: string, held: Record<string, boolean> = {}) => {
    let stopped = 0;
    const stop = () => stopped++;
    canvas.onkeydown?.({ key, ...held, preventDefault: stop, stopPropagation: stop });
    return stopped;
  };
  assert.deepEqual([press("Enter"), press("x")], [2, 0]);
  for (const held of ["ctrlKey", "metaKey", "altKey"]) assert.equal(press("Enter", { [held]: true }), 0);
  assert.deepEqual(keys, ["Enter", "x"]);
});

test("what follows the pointer is painted over what stays, in the pixels of the screen", () => {
  const { frame, canvas } = made();
  frame.paintBase(300, 200, 400, { ratio: 2 }, (context) => context.fillRect(1, 2, 3, 4));
  assert.deepEqual(
    [canvas.width, canvas.height, canvas.style.width, canvas.style.height],
    [600, 400, "300px", "200px"],
  );
  frame.paintOver((context) => context.fillText("over", 5, 6));
  const [image] = canvas.context.of("image");
  assert.equal(image.image, frame.base);
  const [first, last] = [image.points[0], image.points.at(-1)];
  assert.deepEqual([first, last?.[0]], [[0, 0], 600]);
  assert.deepEqual(canvas.context.placeOf("over"), [10, 12]);
  const kinds = canvas.context.painted.map(({ kind }) => kind);
  assert.deepEqual(kinds, ["clear", "image", "text"]);
});

test("a canvas wider than its room scrolls, by a finger and to what has to be seen", () => {
  const { frame, canvas } = made();
  const scroller = canvas.parent as FakeElement;
  scroller.clientWidth = 100;
  frame.paintBase(300, 200, 300, { ratio: 1 });
  assert.deepEqual([scroller.classList.contains("wide"), canvas.style.touchAction], [false, "pan-y"]);
  frame.paintBase(300, 200, 299, { ratio: 1 });
  assert.deepEqual([scroller.classList.contains("wide"), canvas.style.touchAction], [true, "pan-x pan-y"]);
  frame.bringIntoView(40, 60);
  assert.equal(scroller.scrollLeft, 0); // it is seen already
  frame.bringIntoView(140, 160);
  assert.equal(scroller.scrollLeft, 100);
  frame.bringIntoView(90, 110);
  assert.equal(scroller.scrollLeft, 50);
});
