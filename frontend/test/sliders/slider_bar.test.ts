// The bar of sliders: what it says, and what the views hear of a move.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { parent } from "../dom.ts";
import { pack } from "../pack.ts";

mock.timers.enable({ apis: ["setTimeout"] });
const { listen } = await import("../../src/kit/bar.ts");
const { component, panel } = await import("../../src/kit/component.ts");
const { SliderBar } = await import("../../src/sliders/slider_bar.ts");
const mount = component({ sliders: panel(SliderBar) });

const usual = { hint: "", usual: 0, isChoice: false, isMore: false, needs: null };
const sliders = [
  { ...usual, name: "width", label: "Width", texts: ["0.5", "1.0", "2.0"] },
  { ...usual, name: "kind", label: "Kind", texts: ["additive", "scaled"], isChoice: true },
];

test("each slider says where it is, the views hear of every place, and Python where it rests", () => {
  const heard: string[] = [];
  const told: unknown[] = [];
  listen((move) => {
    heard.push(`${move.bar} ${move.place}`);
    move.views += 1;
  });
  const { element, fake } = parent();
  const view = { places: [2, 0], awaited: false };
  const request = { panel: "sliders", key: "bar", revision: "1", view, labels: {} };
  const call = { parentElement: element, setStateValue: (_: string, value: unknown) => told.push(value) };
  mount({ ...call, data: pack({ request, content: pack({ label: "l", more: "m", sliders }) }) });
  const text = () => fake.byId("sb-value-width").textContent;
  const pressed = () => [1, 2].map((n) => fake.byId(`sb-kind-${n}`).getAttribute("aria-pressed"));
  assert.deepEqual([text(), pressed()], ["2.0", ["true", "false"]]);
  assert.deepEqual(heard, ["bar 2,0"]);
  const slider = fake.byId("sb-width");
  for (const place of [1, 0]) {
    slider.valueAsNumber = place;
    slider.oninput?.({});
    assert.equal(text(), sliders[0].texts[place]);
  }
  fake.byId("sb-kind-2").onclick?.({});
  assert.deepEqual([text(), pressed()], ["0.5", ["false", "true"]]);
  assert.deepEqual(heard.slice(1), ["bar 1,0", "bar 0,0", "bar 0,1"]);
  mock.timers.tick(1000);
  assert.deepEqual(told, [{ places: [0, 1], awaited: false, revision: "1" }]);
});

function shown(places: number[], more: object[]) {
  const { element, fake } = parent();
  const request = {
    panel: "sliders",
    key: `bar at ${places}`,
    revision: "1",
    view: { places, awaited: false },
    labels: {},
  };
  const content = pack({ label: "l", more: "More settings", sliders: [...sliders, ...more] });
  mount({ parentElement: element, setStateValue: () => {}, data: pack({ request, content }) });
  return fake;
}

test("a slider that needs a choice cannot be moved without it", () => {
  const degrees = { ...usual, name: "degrees", label: "Degrees", hint: "Only scaled.", texts: ["1", "2"] };
  const fake = shown([0, 0, 0], [{ ...degrees, needs: [1, 1] }]);
  assert.equal(fake.byId("sb-degrees").disabled, true);
  fake.byId("sb-kind-2").onclick?.({});
  assert.equal(fake.byId("sb-degrees").disabled, false);
  assert.ok(fake.textContent.includes("Only scaled."), "why is said");
});

test("further sliders are folded away, unless one of them was moved", () => {
  const seed = { ...usual, name: "seed", label: "Seed", texts: ["0", "1"], isMore: true };
  assert.equal(shown([0, 0], []).byId("sb-more").hidden, true);
  const folded = shown([0, 0, 0], [seed]).byId("sb-more");
  assert.deepEqual([folded.hidden, folded.open], [false, false]);
  assert.ok(folded.textContent.startsWith("More settings"));
  assert.equal(shown([0, 0, 1], [seed]).byId("sb-more").open, true);
});
