// The SVG document that painters draw as if on a canvas: letters are texts, shapes lie where a canvas has them.

import "./dom.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { hatch } from "../src/kit/colour.ts";
import { SvgContext } from "../src/kit/svg_context.ts";
import { LETTER } from "./canvas.ts";

function drawn(paint: (context: SvgContext) => void): string {
  const context = new SvgContext();
  context.fillStyle = context.strokeStyle = "#112233";
  paint(context);
  return context.document(100, 50, "a picture");
}

// What XML makes of a text.
const readXml = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

for (const text of ["<s>", "&amp;", "$x$", '"quoted"', "]]>", "a  b", "世界 🙂", "سلام", "<script>alert(1)</script>"]) {
  test(`the text ${text} is letters, and no markup`, () => {
    const document = drawn((context) => context.fillText(text, 1, 2));
    const [, inside] = /<text[^>]*>([^<]*)<\/text>/.exec(document) ?? [];
    assert.equal(readXml(inside), text);
    assert.doesNotMatch(inside, /[<>"]|&(?!#)/);
  });
}

test("what XML has no place for is shown by its picture", () => {
  const document = drawn((context) => context.fillText("a\u0000b\u001bc\ud800d\uffffe", 1, 2));
  assert.match(document, />a␀b␛c\ufffdd\ufffde</);
});

test("a title is no markup, either", () => {
  assert.match(new SvgContext().document(1, 1, "<s> & $x$"), /<title>&#60;s&#62; &#38; \$x\$<\/title>/);
});

test("a text keeps its place, its side, its font and its length, also where it is condensed", () => {
  const document = drawn((context) => {
    context.font = "600 13px Own, 'A B', sans-serif";
    context.textAlign = "right";
    context.fillText("token", 30, 20);
    context.fillText("token", 30, 40, 12);
  });
  const texts = [...document.matchAll(/<text ([^>]*)>/g)].map(([, about]) => about);
  assert.match(texts[0], /x="30" y="20".* font-size="13" font-weight="600" text-anchor="end"/);
  assert.match(texts[0], /font-family="Own, [^"]*'A B', sans-serif"/);
  assert.match(texts[0], new RegExp(`textLength="${5 * LETTER}"`));
  assert.match(texts[1], /textLength="12"/);
});

test("save and restore bring back every part of the state, and only that", () => {
  const context = new SvgContext();
  context.save();
  Object.assign(context, { fillStyle: "#ff0000", globalAlpha: 0.5, lineWidth: 4, font: "20px x", textAlign: "center" });
  context.setLineDash([3, 1]);
  context.translate(5, 5);
  context.restore();
  context.strokeRect(0, 0, 2, 2);
  context.fillRect(0, 0, 2, 2);
  const document = context.document(9, 9, "");
  assert.doesNotMatch(document, /opacity|dasharray|stroke-width|transform|ff0000/);
});

test("places are those of a canvas that is moved, turned and scaled", () => {
  const document = drawn((context) => {
    context.translate(10, 20);
    context.rotate(-Math.PI / 2);
    context.scale(2, 3);
    context.fillRect(1, 2, 3, 4);
  });
  // (x, y) -> (10 + 3y, 20 - 2x)
  assert.match(document, /<g transform="matrix\(0 -2 3 0 10 20\)"><rect x="1" y="2" width="3" height="4"/);
});

test("a clip holds until it is taken back, and one within another is within both", () => {
  const document = drawn((context) => {
    context.save();
    for (const size of [20, 10]) {
      context.beginPath();
      context.rect(0, 0, size, size);
      context.clip();
    }
    context.fillRect(0, 0, 50, 50);
    context.restore();
    context.fillRect(1, 1, 50, 50);
  });
  const clips = [...document.matchAll(/<clipPath id="(\w+)"(?: clip-path="url\(#(\w+)\)")?>/g)];
  assert.equal(clips.length, 2);
  assert.equal(clips[1][2], clips[0][1]);
  const [inside, outside] = document.split("<rect ").slice(1);
  assert.match(document.split("<rect ")[0], new RegExp(`clip-path="url\\(#${clips[1][1]}\\)"><g>$`));
  assert.ok(inside.endsWith("</g></g><g>"), inside);
  assert.match(outside, /^x="1"/);
});

test("a whole circle comes round, and every group is closed", () => {
  const document = drawn((context) => {
    context.beginPath();
    context.arc(10, 10, 5, 0, 2 * Math.PI);
    context.fill();
    context.scale(2, 2);
    context.stroke();
  });
  assert.match(document, /d="M15 10A5 5 0 0 1 5 10A5 5 0 0 1 15 10"/);
  assert.equal(document.split("<g").length, document.split("</g>").length);
});

test("masked cells are hatched by a pattern of lines, defined once", () => {
  const document = drawn((context) => {
    const pattern = hatch(context.asContext(), "#445566", 2);
    context.fillStyle = pattern;
    context.fillRect(0, 0, 5, 5);
    context.fillRect(9, 0, 5, 5);
  });
  const [, id] = /<pattern id="(\w+)" patternUnits="userSpaceOnUse" width="5" height="5">/.exec(document) ?? [];
  assert.equal(document.split("<pattern").length, 2);
  assert.equal(document.split(`fill="url(#${id})"`).length, 3);
  assert.match(document, /<pattern.*stroke="#445566" stroke-opacity="0.45".*<\/pattern>/);
});

test("the colours of a scale become a gradient, each at its place", () => {
  const document = drawn((context) => {
    const gradient = context.createLinearGradient(10, 0, 60, 0);
    gradient.addColorStop(0, "rgb(0, 34, 78)");
    gradient.addColorStop(0.5, "#ffffff");
    context.fillStyle = gradient;
    context.fillRect(10, 0, 50, 5);
  });
  assert.match(document, /x1="10" y1="0" x2="60" y2="0"/);
  assert.match(document, /offset="0" stop-color="rgb\(0,34,78\)"\/><stop offset="0.5" stop-color="#ffffff"/);
});
