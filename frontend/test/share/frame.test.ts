// The code of a frame, and which sites a policy lets have one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../src/share/frame.ts";
import { mayFrame, settingFor, siteOf } from "../../src/share/frame_ancestors.ts";

const HTTP = "http://app.example.edu";
const HTTPS = "https://app.example.edu";
// Sources, a site, the server -> whether a browser shows the frame.
const DECISIONS: [sources: string, site: string, server: string, may: boolean][] = [
  ["*", "http://any.org:8000", HTTPS, true],
  ["'none'", HTTPS, HTTPS, false],
  ["'none' https://a.org", "https://a.org", HTTPS, true], // "none" beside others says nothing
  ["", HTTPS, HTTPS, false],
  ["'self'", HTTPS, HTTPS, true],
  ["'SELF'", HTTPS, HTTPS, true],
  ["'self'", HTTPS, HTTP, true], // better than itself
  ["'self'", HTTP, HTTPS, false],
  ["'self'", "https://app.example.edu:8501", HTTPS, false],
  ["'self'", "https://a.org", HTTPS, false],
  ["self", HTTPS, HTTPS, false], // a host of that name
  ["https://a.org", "https://a.org", HTTPS, true],
  ["HTTPS://A.org", "https://a.org", HTTPS, true],
  ["https://a.org", "http://a.org", HTTPS, false],
  ["http://a.org", "https://a.org", HTTPS, true],
  ["https://a.org/", "https://a.org", HTTPS, true],
  ["https://a.org/course", "https://a.org", HTTPS, false],
  ["https://a.org", "https://b.a.org", HTTPS, false],
  ["https://*.a.org", "https://b.a.org", HTTPS, true],
  ["https://*.a.org", "https://c.b.a.org", HTTPS, true],
  ["https://*.a.org", "https://a.org", HTTPS, false],
  ["https://*.a.org", "https://evila.org", HTTPS, false],
  ["https://*", "https://a.org", HTTPS, true],
  ["https://*", "https://a.org:8443", HTTPS, false],
  ["https://*:*", "https://a.org:8443", HTTPS, true],
  ["a.org", "https://a.org", HTTPS, true],
  ["a.org", "http://a.org", HTTPS, false], // by the scheme of the server
  ["a.org", "http://a.org", HTTP, true],
  ["a.org", "https://a.org", HTTP, true],
  ["a.org:8080", "http://a.org:8080", HTTP, true],
  ["a.org:8080", "http://a.org", HTTP, false],
  ["a.org", "http://a.org:8080", HTTP, false],
  ["a.org:*", "http://a.org:8080", HTTP, true],
  ["https://a.org:443", "https://a.org", HTTPS, true],
  ["http://a.org:80", "http://a.org", HTTPS, true],
  ["https:", "https://a.org:8443", HTTPS, true],
  ["https:", "http://a.org", HTTPS, false],
  ["http:", "https://a.org", HTTPS, true],
  ["data:", "https://a.org", HTTPS, false],
  ["http://192.168.1.5:8080", "http://192.168.1.5:8080", HTTP, true],
  ["https://b.org https://a.org", "https://a.org", HTTPS, true],
];

test("a site may show the frame where a browser lets it", () => {
  for (const [sources, site, server, may] of DECISIONS) {
    const policy = `default-src 'none'; Frame-Ancestors ${sources}; base-uri 'none'`;
    assert.equal(mayFrame(policy, new URL(site), new URL(server)), may, `${sources} | ${site} | ${server}`);
  }
});

test("each of several policies counts, and only those that name ancestors", () => {
  const [site, server] = [new URL("https://a.org"), new URL(HTTPS)];
  assert.equal(mayFrame(null, site, server), true);
  assert.equal(mayFrame("default-src 'self'", site, server), true);
  assert.equal(mayFrame("default-src 'self', frame-ancestors a.org", site, server), true);
  assert.equal(mayFrame("frame-ancestors a.org; frame-ancestors 'self'", site, server), true); // the first counts
  assert.equal(mayFrame("x-frame-ancestors 'self'", site, server), true);
  assert.equal(mayFrame("frame-ancestors 'self', frame-ancestors a.org", site, server), false);
});

test("the setting keeps the sites that are allowed already", () => {
  const site = new URL("https://a.org");
  assert.equal(settingFor("frame-ancestors 'self'", site), "https://a.org");
  assert.equal(settingFor("frame-ancestors 'self' https://*.b.org", site), "https://*.b.org https://a.org");
  assert.equal(settingFor("frame-ancestors", site), "https://a.org");
});

test("a site is read from the address of any page of it, or refused", () => {
  for (const [typed, site] of [
    ["https://moodle.example.org/course/view.php?id=3", "https://moodle.example.org"],
    [" moodle.example.org ", "https://moodle.example.org"],
    ["localhost:8080/x", "https://localhost:8080"],
    ["http://localhost:8080", "http://localhost:8080"],
    ["HTTPS://Moodle.Example.org:443/", "https://moodle.example.org"],
    ["https://学校.cn", "https://xn--48s290a.cn"],
  ]) {
    assert.equal(siteOf(typed)?.origin, site);
  }
  const none = ["", "two words", "https://", "ftp://a.org", "javascript:alert(1)", "file:///a", "https://*.a.org"];
  for (const typed of [...none, 'https://a"b.org', "https://a;b.org", "https://$(x).org", "https://[::1]"]) {
    assert.equal(siteOf(typed), null, typed);
  }
});

test("the frame's code opens the same view, embedded; nothing in it is markup", () => {
  const code = frameOf("http://a/masks?s1=%22x&present=1&lang=zh", '<Inside> & "attention"');
  assert.equal(
    code,
    '<iframe src="http://a/masks?s1=%22x&amp;lang=zh&amp;embed=true" title="&lt;Inside&gt; &amp; &quot;attention&quot;" ' +
      'style="width: 100%; height: 600px; border: 0"></iframe>',
  );
});
