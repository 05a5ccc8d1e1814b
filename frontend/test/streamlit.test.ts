// Streamlit's own words are said in the reader's language, wherever it writes them, and however often it changes.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeElement } from "./dom.ts";

class FakeText {
  data: string;
  constructor(data: string) {
    this.data = data;
  }
}
const written = new FakeText("");
const node = Object.assign(new FakeElement("a"), { childNodes: [written] });
let changed: () => void;
let frames: (() => void)[] = [];
let watching = 0;
Object.assign(document, { body: new FakeElement("body"), querySelectorAll: () => [node] });
Object.assign(globalThis, {
  Text: FakeText,
  requestAnimationFrame: (then: () => void) => frames.push(then),
  cancelAnimationFrame: () => {
    frames = [];
  },
  MutationObserver: class {
    constructor(then: () => void) {
      changed = then;
    }
    observe(): void {
      watching += 1;
    }
    disconnect(): void {
      watching -= 1;
    }
  },
});
const { sayForStreamlit } = await import("../src/kit/streamlit.ts");

const CHINESE = { Close: "关闭", "No results": "没有找到", "per file": "以内", "Help for": "说明：" };
const ENGLISH = { Close: "Close", "No results": "Nothing found", "per file": "at most", "Help for": "Help for" };

function draw(text: string, label: string): void {
  written.data = text;
  node.setAttribute("aria-label", label);
}
function drawn(): string[] {
  for (const frame of frames.splice(0)) frame();
  return [written.data, node.getAttribute("aria-label") ?? ""];
}

beforeEach(() => {
  frames = [];
});

test("text and label, now and after every change, once a frame", () => {
  draw("No results", "Close");
  const stop = sayForStreamlit(CHINESE);
  assert.deepEqual(drawn(), ["没有找到", "关闭"]);
  draw("Close", "No results");
  changed();
  changed();
  assert.equal(frames.length, 1);
  assert.deepEqual(drawn(), ["关闭", "没有找到"]);
  stop();
  assert.equal(watching, 0);
});

test("in another language, what was said in the one before is said again", () => {
  draw("No results", "Close");
  sayForStreamlit(CHINESE)();
  const stop = sayForStreamlit(CHINESE);
  drawn();
  stop();
  sayForStreamlit(ENGLISH);
  assert.deepEqual(drawn(), ["Nothing found", "Close"]);
});

test("a size keeps its number, and a label its words; what is not Streamlit's stays as it is", () => {
  draw("200MB per file • VIZ", "Help for 设备");
  sayForStreamlit(CHINESE);
  assert.deepEqual(drawn(), ["200MB 以内 • VIZ", "说明： 设备"]);
  draw("toString", "A sentence.");
  changed();
  assert.deepEqual(drawn(), ["toString", "A sentence."]);
});
