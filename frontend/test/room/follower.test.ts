import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { back, here, link, press, reset, setRunning, wait, went } from "./page.ts";

const { hearLed, tellChanged, tellShown } = await import("../../src/kit/remote_view.ts");
const { said } = await import("../../src/room/address.ts");
const { Follower } = await import("../../src/room/follower.ts");
type Follower = InstanceType<typeof Follower>;

const HERE = "attention?lang=en&source=x";
const STATE = { seq: 1, mode: "follow", address: HERE, views: {}, run: true } as const;
let follower: Follower;
let led: [string, object][];
let changes: number;
let stopHearing: () => void;

beforeEach(() => {
  reset(`http://app/${HERE}`);
  led = [];
  changes = 0;
  stopHearing = hearLed(({ key, view }) => led.push([key, view]));
  follower = new Follower(
    () => said(here.href, "http://app/", "en"),
    () => {
      changes += 1;
    },
  );
});

afterEach(() => {
  follower.stop();
  stopHearing();
});

test("who comes in goes to where the lecturer is, and stays in the room", () => {
  here.href = "http://app/?room=KQRTB&lang=zh";
  follower.join(STATE, 1);
  assert.deepEqual(went, ["http://app/attention?lang=en&source=x&room=KQRTB"]);
});

test("who is there already runs nothing, and only views move", () => {
  follower.join({ ...STATE, views: { stages: { head: 1 } } }, 1);
  follower.take({ seq: 2, views: { stages: { head: 2 }, arcs: { head: 2 } } });
  assert.deepEqual(went, []);
  assert.deepEqual(led, [
    ["stages", { head: 1 }],
    ["stages", { head: 2 }],
    ["arcs", { head: 2 }],
  ]);
});

test("a run is run also where the link is the same: it does not say yet where a view was led", () => {
  follower.join({ ...STATE, views: { stages: { head: 1 } } }, 1);
  follower.take({ seq: 2, address: HERE, run: true, views: {} });
  assert.deepEqual(went, [`http://app/${HERE}`]);
});

test("a view that is shown later is led, too", () => {
  follower.join({ ...STATE, views: { stages: { head: 1 } } }, 1);
  led.length = 0;
  tellShown("other");
  tellShown("stages");
  assert.deepEqual(led, [["stages", { head: 1 }]]);
});

test("another address is opened at once where only a run can show it", () => {
  follower.join(STATE, 1);
  follower.take({ seq: 2, address: "heads?lang=en", run: true, views: {} });
  assert.deepEqual(went, ["http://app/heads?lang=en"]);
});

test("else the student's own link has time to say the same, and only what then differs is opened, once", () => {
  follower.join(STATE, 1);
  follower.take({ seq: 2, address: `${HERE}&stage=mask`, run: false });
  wait(2400);
  assert.deepEqual(went, []);
  link(`http://app/${HERE}&stage=mask`);
  wait(1000);
  assert.deepEqual(went, []);

  follower.take({ seq: 3, address: `${HERE}&stage=softmax`, run: false });
  setRunning(true);
  wait(3000);
  assert.deepEqual(went, []); // the run may still write that link
  setRunning(false);
  wait(3000);
  assert.deepEqual(went, ["http://app/attention?lang=en&source=x&stage=softmax"]);
  link(`http://app/${HERE}`);
  wait(10_000);
  assert.equal(went.length, 1);
});

test("who moves a view lets go, sees that, and comes back to where the lecturer is by then", () => {
  follower.join(STATE, 1);
  press("canvas");
  tellChanged("stages", { head: 3 });
  assert.deepEqual([follower.isFollowing, changes], [false, 1]);
  follower.take({ seq: 2, address: "heads?lang=en", run: true, views: {} });
  assert.deepEqual(went, []);
  follower.letGo(false);
  assert.deepEqual([follower.isFollowing, changes, went], [true, 2, ["http://app/heads?lang=en"]]);
});

test("a view that moves by itself lets nobody go", () => {
  follower.join(STATE, 1);
  tellChanged("stages", { head: 3 });
  press("canvas");
  wait(3001);
  tellChanged("stages", { head: 4 });
  assert.equal(follower.isFollowing, true);
});

test("who opens another page or uses a control lets go; who clicks beside does not", () => {
  follower.join(STATE, 1);
  press("p");
  link(`http://app/${HERE}&stage=mask`);
  assert.equal(follower.isFollowing, true);
  press("a");
  link("http://app/heads");
  assert.equal(follower.isFollowing, false);
});

test("the page's own link is no sign of anybody's will, nor the room's own buttons", () => {
  follower.join(STATE, 1);
  press("[data-testid=room]");
  link(`http://app/${HERE}&stage=mask`);
  assert.equal(follower.isFollowing, true);
  press("a");
  follower.take({ seq: 2, address: "heads?lang=en", run: true, views: {} }); // the follower itself opens that link
  assert.equal(follower.isFollowing, true);
});

test("Back lets go", () => {
  follower.join(STATE, 1);
  back();
  assert.equal(follower.isFollowing, false);
});

test("while the lecturer prepares something or has released the class nobody is led; then all are, wherever they were", () => {
  follower.join(STATE, 1);
  for (const mode of ["pause", "free"] as const) {
    follower.take({ seq: 2, mode });
    follower.take({ seq: 3, address: `masks?lang=en&mode=${mode}`, run: true, views: {} });
    assert.deepEqual([follower.isFollowing, went], [false, []]);
  }
  follower.letGo(true);
  follower.take({ seq: 4, mode: "follow" });
  assert.deepEqual([follower.isFollowing, went], [true, ["http://app/masks?lang=en&mode=free"]]);
});
