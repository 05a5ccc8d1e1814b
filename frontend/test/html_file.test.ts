// What a page of one file is made of: no text of a person, and no program, ends the element that it stands in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { escaped, inline, json } from "../src/kit/html_file.ts";

const HOSTILE = `</script><script>alert("1")</script><!-- <img src=x onerror='a&b'> \u2028 {content} $& 😀`;

test("a text stays a text", () => {
  assert.doesNotMatch(escaped(HOSTILE), /[<>"']/);
  assert.equal(escaped("a & b"), "a &amp; b");
});

test("JSON in a script ends no script, and is what it was", () => {
  assert.doesNotMatch(json({ said: HOSTILE }), /</);
  assert.deepEqual(JSON.parse(json({ said: HOSTILE })), { said: HOSTILE });
});

test("a program in a page names what it gave, and ends no script", () => {
  const said = inline(`const a="</script><!--";export{a as default};\n`);
  assert.doesNotMatch(said, /<\/script|<!--/);
  assert.equal(new Function(`${said} return view;`)(), "</script><!--");
});
