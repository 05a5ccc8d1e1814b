"""What the browser did on a page before a test failed, to find the cause of a failure that comes only now and then.

What was clicked, what size the window and what the address became, what was sent to the server and to the room, each
with its time.
"""

from __future__ import annotations

import base64

from playwright.sync_api import Error, Page
from streamlit.proto.BackMsg_pb2 import BackMsg

RECORD = """(() => {
  const did = [];
  globalThis.whatHappened = () => did;
  const note = (kind, what) => {
    did.push([Math.round(performance.now()), kind, what]);
    if (did.length > 40) did.shift();
  };
  for (const name of ["pushState", "replaceState"]) {
    const write = history[name];
    history[name] = function (...given) {
      write.apply(this, given);
      note(name, location.pathname + location.search);
    };
  }
  for (const kind of ["popstate", "click", "keydown"]) {
    addEventListener(kind, ({ target, key }) => {
      note(kind, target === window ? location.pathname + location.search : key ?? target.outerHTML.slice(0, 80));
    }, true);
  }
  for (const kind of ["resize", "fullscreenchange", "fullscreenerror"]) {
    addEventListener(kind, () => note(kind, `${innerWidth} × ${innerHeight}`), true);
  }
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (data instanceof Uint8Array && data.length < 1e5) note("asks", btoa(String.fromCharCode(...data.slice())));
    if (typeof data === "string") note("tells its room", data.slice(0, 200));
    send.call(this, data);
  };
})()"""
STATE = """() => [location.pathname + location.search,
  document.querySelector("[data-test-script-state]")?.dataset.testScriptState,
  document.querySelectorAll("[data-stale=true]").length, whatHappened(), Math.round(performance.now())]"""


def evidence(page: Page) -> str:
    try:
        address, runs, stale, happened, now = page.evaluate(STATE)
    except Error as error:
        return f"{page.url}: {error.message}"
    lines = [f"{at} {kind}: {asked(what) if kind == 'asks' else what}" for at, kind, what in happened]
    return "\n".join([*lines, f"{now} {address}, {runs}, {stale} stale"])


def asked(message: str) -> str:
    """A message to Streamlit, decoded in one line: page, cause of the run, link, and texts of the controls."""
    said = BackMsg.FromString(base64.b64decode(message))
    if said.WhichOneof("type") != "rerun_script":
        return str(said.WhichOneof("type"))
    run = said.rerun_script
    texts = {one.id.split("-", maxsplit=2)[-1]: one.string_value for one in run.widget_states.widgets}
    how = "by history" if run.is_history_navigation else run.fragment_id[:6]
    return (
        f"{run.page_script_hash[:6]} {how} ?{run.query_string} { {key: text for key, text in texts.items() if text} }"
    )
