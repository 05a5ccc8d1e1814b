import assert from "node:assert/strict";
import { test } from "node:test";
import { divergingTo } from "../src/kit/colour.ts";
import { legendEntry, scaleElement } from "../src/kit/legend.ts";
import { read } from "./dom.ts";

test("a legend begins with its lowest colour and number, and ends with its highest", () => {
  const shown = read(scaleElement(divergingTo(2.5, false)));
  assert.deepEqual(
    shown.classed("ticks")[0].children.map((tick) => tick.textContent),
    ["−2.5", "0", "2.5"],
  );
  const ramp = String(shown.classed("ramp")[0].style.cssText);
  assert.match(ramp, /^background:linear-gradient\(to right, rgb\(8,62,121\),.*,rgb\(133,62,6\)\)$/);
});

test("a mark stands beside what it means", () => {
  const entry = read(legendEntry("masked", "may not be attended to"));
  assert.equal(entry.textContent, "may not be attended to");
  assert.ok(entry.children[0].classList.contains("masked"));
});
