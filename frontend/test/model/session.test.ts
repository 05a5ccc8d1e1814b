import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply, Request } from "../../src/model/protocol.ts";
import { GREEDY } from "../../src/model/search.ts";
import { Session } from "../../src/model/session.ts";
import { filesOf } from "./files.ts";

type Asked = Request extends infer One ? (One extends Request ? Omit<One, "id"> : never) : never;

// A session, what it has said so far, and how it is asked; each request gets the next id.
function started() {
  const said: Reply[] = [];
  const session = new Session((reply, transfer) => said.push(structuredClone(reply, { transfer })));
  let id = 0;
  const ask = (asked: Asked) => session.receive({ ...asked, id: ++id } as Request);
  const kinds = (of: number) => said.filter((reply) => reply.id === of).map(({ kind }) => kind);
  const final = (of: number) => said.findLast((reply) => reply.id === of) as Reply;
  return { said, ask, kinds, final };
}

const files = filesOf("reverse");
const translate = (text: string, options = GREEDY) => ({ kind: "translate", text, options }) as const;
const pass = (text: string, target: string | null) => ({ kind: "pass", text, target, interventions: [] }) as const;

test("a model is loaded, with progress, and translates step by step", async () => {
  const { said, ask, kinds, final } = started();
  await ask({ kind: "load", files });
  assert.equal(kinds(1).at(-1), "loaded");
  assert.ok(kinds(1).filter((kind) => kind === "progress").length > 10);
  await ask(translate("12345"));
  assert.deepEqual(kinds(2), [...Array(6).fill("step"), "translated"]);
  assert.partialDeepStrictEqual(final(2), { text: "5 4 3 2 1", source: { tokens: ["1", "2", "3", "4", "5"] } });
  const texts = said.flatMap((reply) => (reply.kind === "step" ? [reply.text] : []));
  assert.deepEqual(texts.slice(0, 3), ["5", "5 4", "5 4 3"]);
});

test("a pass tells every point and its labels, of a target that was typed or of the model's own", async () => {
  const { ask, final } = started();
  await ask({ kind: "load", files });
  await ask(pass("12", "34"));
  const typed = final(2);
  assert.ok(typed.kind === "passed");
  assert.deepEqual(typed.sourceTokens, ["1", "2", "</s>"]);
  assert.deepEqual(
    [typed.targetTokens, typed.predictedTokens],
    [
      ["<s>", "3", "4"],
      ["3", "4", "</s>"],
    ],
  );
  assert.deepEqual(typed.points["decoder_layers.1.cross_attention.weights"].shape, [1, 4, 3, 3]);
  assert.deepEqual(typed.logProbs.shape, [3, 14]);
  await ask(pass("12", null));
  assert.partialDeepStrictEqual(final(3), { kind: "passed", text: "2 1" });
  await ask(pass("12", "34")); // nothing that a reply took away is missing
  assert.deepEqual(final(4), { ...typed, id: 4 });
});

test("a newer request cancels an older one between two tokens", async () => {
  const { ask, kinds, final } = started();
  await ask({ kind: "load", files });
  const first = ask(translate("1234567890"));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([ask(translate("12")), first]);
  assert.equal(kinds(2).at(-1), "cancelled");
  assert.ok(kinds(2).length < 10);
  assert.partialDeepStrictEqual(final(3), { kind: "translated", text: "2 1" });
});

test("requests wait for a load; of those that wait, the newest is answered", async () => {
  const { ask, final } = started();
  await Promise.all([ask({ kind: "load", files }), ask(translate("12")), ask(translate("34"))]);
  assert.deepEqual([final(1).kind, final(2).kind], ["loaded", "cancelled"]);
  assert.partialDeepStrictEqual(final(3), { kind: "translated", text: "4 3" });
});

test("weights are fetched from an address, or it is said why not", async () => {
  const { ask, kinds, final } = started();
  const address = `data:application/octet-stream;base64,${Buffer.from(files.weights).toString("base64")}`;
  await ask({ kind: "load", files: { ...files, weights: address } });
  assert.equal(kinds(1).at(-1), "loaded");
  await ask({ kind: "load", files: { ...files, weights: "data:application/octet-stream,abc" } });
  assert.partialDeepStrictEqual(final(2), { kind: "refused", values: { reason: "it has 3 bytes" } });
  await ask(translate("1"));
  assert.equal(final(3).kind, "refused"); // the model before it is gone
});

test("refusals are sentences with their parts; a slip of the program is told, too", async () => {
  const { ask, final } = started();
  await ask(translate("1"));
  assert.partialDeepStrictEqual(final(1), { kind: "refused", message: "No model has been loaded yet." });
  await ask({ kind: "load", files });
  await ask(translate(" "));
  assert.partialDeepStrictEqual(final(3), {
    kind: "refused",
    template: "The {side} text is empty: type at least one word or symbol.",
    values: { side: "source" },
  });
  await ask(translate(3 as never));
  assert.equal(final(4).kind, "failed");
});

test("the worker passes messages on", async () => {
  const scope = globalThis as unknown as Record<string, unknown>;
  let hear: (event: { data: Request }) => void = () => {};
  scope.addEventListener = (_type: string, hearer: typeof hear) => (hear = hearer);
  const reply = new Promise<Reply>((resolve) => (scope.postMessage = resolve));
  await import("../../src/model/worker.ts");
  hear({ data: { ...translate("1"), id: 7 } });
  assert.partialDeepStrictEqual(await reply, { id: 7, kind: "refused" });
  delete scope.addEventListener;
  delete scope.postMessage;
});
