// What screen readers hear: one sentence a step.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { HINT, READING, SCENE, speak, TEXT } from "../src/kit/voice.ts";
import { FakeElement } from "./dom.ts";

const spoken: FakeElement[] = [];
Object.assign(document, { body: { append: (one: FakeElement) => spoken.push(one) } });

const line = (isSeen = true, isFocused = false): FakeElement =>
  Object.assign(new FakeElement("p"), {
    checkVisibility: () => isSeen,
    closest: () => ({ matches: () => isFocused }),
  });

// The element says this, as its view would -> what is heard when the step is over.
function afterStep(...steps: readonly [FakeElement, string, number][]): string | undefined {
  for (const [element, text, rank] of steps) {
    element.replaceChildren(text);
    speak(element as unknown as HTMLElement, rank);
  }
  mock.timers.tick(1000);
  return spoken[0]?.textContent;
}

test("of all that changes with a step one sentence is said, the one that matters most", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const [readout, reading, scene, hidden, own] = [line(), line(), line(), line(false), line(true, true)];
  const all = [readout, reading, scene, hidden, own];
  assert.equal(afterStep(...all.map((one) => [one, "before", TEXT] as [FakeElement, string, number])), undefined);

  assert.equal(afterStep([readout, "0.5", TEXT], [reading, "X looks at Y", READING]), "X looks at Y");
  assert.equal(afterStep([readout, "0.6", TEXT], [reading, "X looks at Y", READING]), "0.6"); // the reading is as before
  assert.equal(afterStep([reading, "X looks at Z", READING], [scene, "See Z", SCENE]), "See Z");
  assert.equal(afterStep([hidden, "not there", SCENE], [reading, "X looks at W", READING]), "X looks at W");
  assert.equal(afterStep([scene, "See W", SCENE], [own, "the cell", TEXT]), "the cell"); // where the keyboard is
  assert.equal(afterStep([readout, "Point at a cell", HINT]), "the cell");
  assert.equal(afterStep([readout, "", TEXT], [line(), "new", READING]), "the cell"); // is read with the page
  assert.equal(spoken.length, 1);
});
