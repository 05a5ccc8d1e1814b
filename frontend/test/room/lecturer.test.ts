import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { back, here, link, press, reset, setRunning, wait } from "./page.ts";

const { tellChanged } = await import("../../src/kit/remote_view.ts");
const { said } = await import("../../src/room/address.ts");
const { Lecturer } = await import("../../src/room/lecturer.ts");
type Lecturer = InstanceType<typeof Lecturer>;

let told: object[];
let lecturer: Lecturer;

beforeEach(() => {
  reset("http://app/attention?source=x");
  told = [];
  lecturer = new Lecturer(
    () => said(here.href, "http://app/", "en"),
    (lead) => told.push(lead),
  );
  lecturer.begin("", true);
});

afterEach(() => lecturer.stop());

const FIRST = { address: "attention?lang=en&source=x", run: true, views: {} };

test("a room that was just opened is told where the page is", () => {
  assert.deepEqual(told, [FIRST]);
});

test("another tab of the lecturer leads only once something happens in it", () => {
  told.length = 0;
  const other = new Lecturer(
    () => said(here.href, "http://app/", "en"),
    (lead) => told.push(lead),
  );
  other.begin("heads?lang=en", true);
  assert.deepEqual(told, []);
  lecturer.stop();
  link("http://app/masks");
  assert.deepEqual(told, [{ address: "masks?lang=en", run: true, views: {} }]);
  other.stop();
});

test("the language of the page is of its address, also where the link does not say it", () => {
  let language = "en";
  const other = new Lecturer(
    () => said(here.href, "http://app/", language),
    (lead) => told.push(lead),
  );
  other.begin("", true);
  told.length = 0;
  language = "zh";
  other.look();
  wait(100);
  other.stop();
  assert.deepEqual(told, [{ address: "attention?lang=zh&source=x", run: true, views: {} }]);
});

test("a tab that is loaded anew leads on, also from where Back has brought it meanwhile", () => {
  const again = (known: string): void => {
    const reloaded = new Lecturer(
      () => said(here.href, "http://app/", "en"),
      (lead) => told.push(lead),
    );
    reloaded.begin(known, false);
    reloaded.stop();
  };
  told.length = 0;
  again(FIRST.address);
  assert.deepEqual(told, []);
  again("heads?lang=en&source=x");
  assert.deepEqual(told, [FIRST]);
});

test("views are told as they are moved, not too often, and the last one always", () => {
  told.length = 0;
  tellChanged("stages", { stage: 1 });
  wait(0);
  assert.deepEqual(told, [{ views: { stages: { stage: 1 } } }]);
  tellChanged("stages", { stage: 2 });
  tellChanged("arcs", { head: 3 });
  wait(49);
  assert.equal(told.length, 1);
  wait(1);
  assert.deepEqual(told[1], { views: { stages: { stage: 2 }, arcs: { head: 3 } } });
});

test("after Back the class opens the link, and no view is where it was said to be", () => {
  link("http://app/attention?source=x&head=2");
  tellChanged("stages", { head: 1 });
  wait(200);
  told.length = 0;
  back();
  link("http://app/attention?source=x");
  wait(200);
  assert.deepEqual(told, [FIRST]);
});

test("after Back, before the link said where a view is, too", () => {
  tellChanged("stages", { head: 1 });
  wait(50);
  link("http://app/attention?source=x&head=2");
  told.length = 0;
  link("http://app/attention?source=x");
  back();
  wait(100);
  assert.deepEqual(told, [FIRST]);
});

test("the link that a view's change brings needs no run", () => {
  press();
  tellChanged("stages", { head: 1 });
  wait(300);
  told.length = 0;
  link("http://app/attention?source=x&head=2");
  wait(100);
  assert.deepEqual(told, [{ address: "attention?head=2&lang=en&source=x", run: false }]);
});

test("the link that a control of Streamlit's brings needs one", () => {
  press();
  told.length = 0;
  link("http://app/attention?source=x&hand=true");
  link("http://app/attention?source=x&hand=true&stage=scores"); // a run writes the link one parameter at a time
  wait(100);
  assert.deepEqual(told, [{ address: "attention?hand=true&lang=en&source=x&stage=scores", run: true, views: {} }]);
});

test("what a run adds to the link by itself needs none", () => {
  told.length = 0;
  link("http://app/attention?source=x&layer=1");
  wait(100);
  assert.deepEqual(told, [{ address: "attention?lang=en&layer=1&source=x", run: false }]);
});

test("another page, text or scene is told at once, and what views said of the one before is forgotten", () => {
  tellChanged("stages", { head: 1 });
  wait(50);
  told.length = 0;
  link("http://app/attention?source=y");
  tellChanged("arcs", { head: 0 });
  wait(50);
  assert.deepEqual(told, [
    { address: "attention?lang=en&source=y", run: true, views: {} },
    { views: { arcs: { head: 0 } } },
  ]);
});

test("while a run changes the link piece by piece, only what comes of it is told", () => {
  told.length = 0;
  setRunning(true);
  link("http://app/attention?source=y");
  link("http://app/heads?source=y");
  assert.deepEqual(told, []);
  wait(100);
  assert.deepEqual(told, [{ address: "heads?lang=en&source=y", run: true, views: {} }]);
});

test("what only the lecturer sees is told to nobody", () => {
  told.length = 0;
  link("http://app/attention?source=x&room=KQRTB&present=1");
  wait(1000);
  assert.deepEqual(told, []);
});

test("who comes back after the line was lost says what has changed meanwhile", () => {
  tellChanged("stages", { head: 1 });
  wait(50);
  told.length = 0;
  lecturer.begin(FIRST.address, true);
  assert.deepEqual(told, [{ views: { stages: { head: 1 } } }]);
  link("http://app/heads");
  told.length = 0;
  lecturer.begin(FIRST.address, true);
  assert.deepEqual(told, [{ address: "heads?lang=en", run: true, views: {} }]);
});

test("an address that no room takes is not told, nor what is shown there", () => {
  told.length = 0;
  link(`http://app/attention?source=${"x".repeat(36_000)}`);
  tellChanged("stages", { head: 1 });
  wait(200);
  assert.deepEqual([told, lecturer.isTooLong], [[], true]);
  link("http://app/attention?source=y");
  assert.deepEqual([told.length, lecturer.isTooLong], [1, false]);
});

test("who has left tells nothing", () => {
  told.length = 0;
  tellChanged("stages", { head: 1 });
  lecturer.stop();
  link("http://app/heads");
  wait(1000);
  assert.deepEqual(told, []);
});
