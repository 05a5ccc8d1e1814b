import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { unpack } from "../../src/kit/codec.ts";
import type { Labels } from "../../src/kit/dom.ts";
import { KINDS, type Kind } from "../../src/live/contents.ts";
import type { SentFiles } from "../../src/live/model_files.ts";
import { pack } from "../../src/live/pack.ts";
import type { LiveReply, LiveRequest } from "../../src/live/protocol.ts";
import { LiveSession } from "../../src/live/session.ts";
import { decoded } from "../../src/live/seven_bits.ts";
import type { Reply } from "../../src/model/protocol.ts";
import { filesOf } from "../model/files.ts";

type Told = Reply | LiveReply;

// Any label is its own name.
const LABELS = new Proxy({}, { get: (_, name) => String(name) }) as Labels;

function archive(name: string) {
  const { weights, sourceTokenizer, targetTokenizer, ...files } = filesOf(name);
  const bytes = (values: Uint8Array) => ({ shape: [values.length], values });
  const width = 2;
  const planes = new Uint8Array(weights.length);
  for (let n = 0; n < weights.length; n++)
    planes[(n % width) * (weights.length / width) + Math.floor(n / width)] = weights[n];
  const encode = (text: string) => bytes(new TextEncoder().encode(text));
  const sent = {
    ...files,
    sourceTokenizer: encode(sourceTokenizer),
    targetTokenizer: encode(targetTokenizer),
    weights: bytes(planes),
    width,
    dictionaries: [],
  } as unknown as SentFiles;
  return asText(gzipSync(pack(sent)));
}

// What seven_bits.py does, bit by bit.
function asText(bytes: Uint8Array) {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const sevens = (bits.match(/.{1,7}/g) ?? []).map((seven) => Number.parseInt(seven.padEnd(7, "0"), 2));
  let text = "";
  for (let n = 0; n < sevens.length; n++) {
    const wrong = [0, 10, 13, 60].indexOf(sevens[n]);
    text += String.fromCharCode(wrong < 0 ? sevens[n] : 256 + 128 * wrong + (sevens[++n] ?? 0));
  }
  return { text, size: bytes.length };
}

function started() {
  const said: Told[] = [];
  const session = new LiveSession((reply) => said.push(reply));
  let id = 0;
  const show = (what: Kind, text: string, more: Partial<LiveRequest> = {}) =>
    session.receive({
      id: ++id,
      kind: "show",
      what,
      text,
      target: null,
      interventions: [],
      view: null,
      isNew: false,
      module: "cross",
      layer: 0,
      labels: LABELS,
      ...more,
    } as LiveRequest);
  const open = (text: { text: string; size: number }) => session.receive({ id: ++id, kind: "open", archive: text });
  return { said, show, open, last: () => said.at(-1)! };
}

test("bytes of every value come back from the text", () => {
  for (const length of [0, 1, 6, 7, 8, 700]) {
    const bytes = Uint8Array.from({ length }, (_, n) => (n * 37 + (n % 3 ? 0 : 120)) & 255);
    const { text, size } = asText(bytes);
    assert.doesNotMatch(text, /[\0\r\n<]/);
    assert.deepEqual(decoded(text, size), bytes);
  }
});

test("a file's model is opened, and every view of a text is shown", async () => {
  const { said, show, open, last } = started();
  await open(archive("reverse"));
  assert.equal(last().kind, "loaded");
  assert.ok(said.some(({ kind }) => kind === "unpacked"));
  for (const kind of KINDS) {
    await show(kind, "12345");
    const reply = last();
    assert.ok(reply.kind === "shown", JSON.stringify(reply));
    assert.equal(reply.text, "5 4 3 2 1");
    assert.ok(Object.keys(unpack<object>(reply.content)).length > 0);
  }
});

test("the same text is computed once, and another one moves what is a place in the text", async () => {
  const { said, show, open, last } = started();
  await open(archive("reverse"));
  await show("overview", "12345");
  const steps = () => said.filter(({ kind }) => kind === "step").length;
  const before = steps();
  await show("glance", "12345");
  assert.equal(steps(), before);
  const view = { layer: 0, head: 3, step: 4, module: "cross", pinned: [1, 1], tinted: false };
  await show("overview", "12345", { view } as Partial<LiveRequest>);
  assert.partialDeepStrictEqual(last(), { kind: "shown", view });
  await show("overview", "12", { view, isNew: true } as Partial<LiveRequest>);
  assert.partialDeepStrictEqual(last(), { kind: "shown", view: { layer: 0, head: 3, pinned: null, tinted: false } });
});

test("what cannot be read is refused with a sentence, and what was shown can be shown again", async () => {
  const { show, open, last } = started();
  await open(archive("reverse"));
  await show("overview", "12");
  await show("overview", "  ");
  assert.partialDeepStrictEqual(last(), {
    kind: "refused",
    message: "The source text is empty: type at least one word or symbol.",
  });
  await show("tree", "12");
  assert.equal(last().kind, "shown");
});

test("a damaged archive is refused with a sentence", async () => {
  const whole = archive("reverse");
  const middle = whole.text.length >> 1;
  const other = whole.text[middle] === "a" ? "b" : "a";
  for (const text of [
    "",
    whole.text.slice(0, middle),
    whole.text.slice(0, middle) + other + whole.text.slice(middle + 1),
  ]) {
    const { open, show, last } = started();
    await open({ text, size: whole.size });
    assert.partialDeepStrictEqual(last(), {
      kind: "refused",
      message: "This file is damaged: a part of it is missing or has been changed.",
    });
    await show("overview", "12");
    assert.equal(last().kind, "refused");
  }
});
