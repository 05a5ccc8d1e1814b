// Buttons of which one is pressed, and the buttons that lead through steps.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Choice, numbers } from "../src/kit/choice.ts";
import { Stepper } from "../src/kit/stepper.ts";
import { read } from "./dom.ts";

test("exactly the chosen button is pressed, and each chooses its own place", () => {
  const chosen: number[] = [];
  const choice = new Choice("p", "head", (place) => chosen.push(place));
  const shown = read(choice.element);
  choice.update(numbers(4), 2);
  const buttons = shown.tags("button");
  assert.deepEqual(
    buttons.map((button) => [button.textContent, button.getAttribute("aria-pressed")]),
    [
      ["1", "false"],
      ["2", "false"],
      ["3", "true"],
      ["4", "false"],
    ],
  );
  for (const button of buttons) button.onclick?.({});
  assert.deepEqual(chosen, [0, 1, 2, 3]);
});

test("the Tab key stops once, at the chosen button or else at the first", () => {
  const choice = new Choice("p", "head", () => {});
  const stops = () =>
    read(choice.element)
      .tags("button")
      .map((button) => button.tabIndex);
  choice.update(numbers(3), 1);
  assert.deepEqual(stops(), [-1, 0, -1]);
  choice.update(numbers(3), -1);
  assert.deepEqual(stops(), [0, -1, -1]);
});

test("the arrow keys choose what is beside, and nothing beyond the ends", () => {
  const chosen: number[] = [];
  const choice = new Choice("p", "head", (place) => chosen.push(place));
  const press = (key: string) =>
    read(choice.element)
      .classed("segments")[0]
      .onkeydown?.({ key, preventDefault() {}, stopPropagation() {} });
  choice.update(numbers(3), 1);
  for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "a"]) press(key);
  assert.deepEqual(chosen, [0, 2, 0, 2]);
  choice.update(numbers(3), 2);
  press("ArrowRight");
  assert.equal(chosen.length, 4);
});

function stepper() {
  const moves: number[] = [];
  const last = 5;
  const shown = new Stepper("p", "slider", 100, {
    onMove: (at) => {
      moves.push(at);
      shown.update(Math.max(0, Math.min(at, last)), last, "");
    },
    onPlay: () => {},
  });
  shown.setLabels("step", {});
  shown.update(2, last, "third");
  return { shown, moves, fake: read(shown.element) };
}

test("first, previous, next and last lead where they say", () => {
  const { shown, moves, fake } = stepper();
  for (const name of ["first", "previous", "next", "last"]) {
    shown.update(2, 5, "third");
    fake.byId(`p-${name}`).onclick?.({});
  }
  assert.deepEqual(moves, [0, 1, 3, 5]);
});

test("the slider is where the view is, and at the ends there is no way on", () => {
  const { shown, fake } = stepper();
  const slider = fake.byId("p-slider");
  assert.deepEqual([slider.value, slider.max, slider.getAttribute("aria-valuetext")], ["2", "5", "third"]);
  const isOff = () => ["first", "previous", "next", "last"].map((name) => fake.byId(`p-${name}`).disabled);
  assert.deepEqual(isOff(), [false, false, false, false]);
  shown.update(0, 5, "");
  assert.deepEqual(isOff(), [true, true, false, false]);
  shown.update(5, 5, "");
  assert.deepEqual(isOff(), [false, false, true, true]);
});

test("playing goes a step each beat, up to the last", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const { shown, moves } = stepper();
  shown.toggle();
  mock.timers.tick(250);
  assert.deepEqual(moves, [3, 4]);
  mock.timers.tick(1000);
  assert.deepEqual(moves, [3, 4, 5]);
  assert.equal(shown.isPlaying, false);
  mock.timers.reset();
});
