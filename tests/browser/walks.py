"""Random walks through the app, as a person goes: typed texts, clicks, Back and Forward, in any order.

After every step four things must agree: what the page shows, what its address says, what *Share* copies, and what a
fresh browser shows that opens the address. Whatever token a sentence names is one of the pass over the address's texts.
And Back must lead to exactly the address before the last step. Before a class, a third browser must show the same, too:
it opens nothing itself, but follows in a room.

python -m tests.browser.walks          400 of them, the last 100 in a lecture; prints each that fails
python -m tests.browser.walks 7 3      three, from the eighth on
--leads                                before a class
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from urllib.parse import parse_qsl, urlencode, urlsplit

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from bench.browser import launch, serve, until
from tests.browser.evidence import RECORD, evidence
from tests.browser.helpers import go_to, query_of
from viz_transformer import load
from viz_transformer.lecture_links import shipped_lectures

STEPS = 8
PATIENCE = 60  # seconds until all must agree
PAGES = ("", "overview", "attention", "masks", "heads", "decoding", "scaling", "positions", "exercises", "architecture")
PAGES += ("why_attention", "training")
NAMING = ("overview", "attention")  # whose sentences name tokens of the pass, in English in « »
READING = ("overview", "attention", "heads", "decoding")  # a source and a target
TEXTS = {
    "en-de": ["I love you.", "Where is <s> the cat?", "A price of $x$ & more 😀", "Go", "She gave\nthe man a book."],
    "zh-en": ["我爱你。", "今天天气很好。", "世界😀和平"],
    "copy": ["1 2 3", "7"],
    "reverse": ["4 5 6 7", "1 1"],
}
LINKS = [
    "overview",
    "overview?model=copy&source=1+2+3",
    "heads?model=reverse&source=3+1+4",
    "heads?model=en-de&view=arcs&source=We+sing.",
    "decoding?model=zh-en&source=%E6%88%91%E7%88%B1%E4%BD%A0%E3%80%82",
    "attention?model=en-de&layer=2&head=3&source=I+sing.&target=Ich+singe.",
    "scaling?lesson=lengths",
    "scaling?part=model&model=copy&source=1+2",
    "masks?lang=zh",
    "positions?lang=zh&part=theory",
    "overview?model=no-such-model&source=Hello",
]
SCENES = [f"?lecture={name}" for name in shipped_lectures()] + [
    f"decoding?lecture=attention&scene={scene}" for scene in ("9", "10", "11")
]
FIRST_IN_A_LECTURE = 300  # walks from this one on are in one
# What a person reads, in the order in which it stands, and what is chosen. Not what is beside the page itself.
SHOWN = """() => {
  const said = [document.documentElement.lang];
  const CHOSEN = ["aria-selected", "aria-checked", "aria-pressed", "aria-current", "aria-expanded", "aria-valuetext"];
  const read = (node) => {
    if (node.nodeType === Node.TEXT_NODE && node.data.trim()) said.push(node.data.trim());
    if (node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) for (const child of node.childNodes) read(child);
    if (node.nodeType !== Node.ELEMENT_NODE || ["STYLE", "SCRIPT"].includes(node.tagName)) return;
    if (!node.checkVisibility({ visibilityProperty: true })) return;
    if (node.matches(".st-key-vt-chip [data-testid=stPopover]")) return;  // where one types, open or not
    for (const name of CHOSEN) if (node.hasAttribute(name)) said.push(`${name}: ${node.getAttribute(name)}`);
    if (["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName)) said.push(`holds: ${node.value} ${node.checked ?? ""}`);
    const first = said.length;
    for (const child of (node.shadowRoot ?? node).childNodes) read(child);
    if (node.tagName === "svg") said.push(...said.splice(first).sort());  // the order of an axis is its own
  };
  read(document.querySelector("[data-testid=stMain]"));
  return said;
}"""
AT_REST = """() => document.querySelector("[data-test-script-state=notRunning]") && document.querySelector("h1")
  && !document.querySelector("[data-stale=true], [aria-busy=true]")"""


SAYS = "([name, text]) => new URL(location).searchParams.get(name) === text"
OF_TEXT = {"step", "cell", "token", "node"}  # places in a text: another text removes them from the address
ADDED = {"module", "layer", "head", "step", "token"}  # what a page adds to its address by itself, a moment later


def says(address: str) -> dict[str, str]:
    """The page and the parameters of an address, so that addresses are compared whatever their order."""
    return {"page": urlsplit(address).path, **dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))}


def without_room(address: str) -> str:
    """The address without its room: whoever opens it comes into none."""
    return re.sub(r"(?<=[?&])room=\w+&|[?&]room=\w+$", "", address)


@dataclass
class Walk:
    """A person's browser, a fresh one that only opens the person's addresses, and what the person did.

    Attributes:
        follower: a browser that follows the person in a room.
        entries: the addresses of the history, each as it was at rest; `at` is the index of the current one.
    """

    page: Page
    fresh: Page
    url: str
    chance: random.Random
    links: Sequence[str]
    follower: Page | None = None
    did: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    at: int = -1

    def go(self, steps: int = STEPS) -> None:
        """Takes the steps; where the four things do not agree, raises an AssertionError that says what was done."""
        try:
            self.open_link()
            if self.follower:
                self.open_room(self.follower)
            self.settle(is_step=True)
            for _ in range(steps):
                choose = self.chance.choice(self.choices())
                is_step = choose() is not False
                self.settle(is_step)
        except Exception as error:
            class_did = [f"the class: {evidence(self.follower)}"] if self.follower else []
            raise AssertionError("\n".join(["", *self.did, str(error), evidence(self.page), *class_did])) from error

    def settle(self, is_step: bool) -> None:
        """Waits until all agree, or raises an AssertionError with the differences; then adds a step to `entries`."""
        self.page.mouse.move(0, 0)  # what is pointed at is not in the link
        others = {"a fresh browser": self.fresh} | ({"the class": self.follower} if self.follower else {})
        end = time.monotonic() + PATIENCE
        opened, apart = "", ["never at rest"]
        while apart:
            assert time.monotonic() < end, "\n".join(apart)
            until(self.page, AT_REST, seconds=PATIENCE)
            address = self.page.url
            if opened != address:
                self.fresh.goto(without_room(address))
                opened = address
            for other in others.values():
                until(other, AT_REST, seconds=PATIENCE)
            apart = [line for name, other in others.items() for line in self.apart(name, other)]
            if self.page.url != address:
                apart.append(f"{address} has become {self.page.url}")
        if not is_step:
            before = says(self.entries[self.at])
            added = says(address).keys() - before.keys()
            assert says(address) == before | {name: says(address)[name] for name in added & ADDED}, before
        elif self.at < 0 or says(address) != says(self.entries[self.at]):
            self.entries[self.at + 1 :] = [address]
            self.at += 1
        self.assert_names()
        self.share()

    def assert_names(self) -> None:
        """Asserts that every token that is named is one of the pass over the texts that the address says."""
        says = query_of(self.page)
        if self.name not in NAMING or says.get("model") not in TEXTS or "source" not in says or "hand" in says:
            return
        translator, source = load(says["model"], "cpu"), says["source"]
        target = says.get("target") or translator.translate(source)
        trace = translator.trace(source, target)
        known = {*trace.source_tokens, *trace.target_tokens, *trace.predicted_tokens}
        named = set(re.findall("«([^»]+)»", " ".join(self.page.evaluate(SHOWN))))
        assert not {one for one in named - known if one not in f"{source} {target}"}, (says, named)

    def apart(self, name: str, other: Page) -> list[str]:
        """The differences from another browser: those of its link or, where there are none, of what it shows.

        The link of a follower always has the room's language, so that languages are not compared.
        """
        here, there = says(without_room(self.page.url)), says(without_room(other.url))
        if other is self.follower:
            here, there = ({**one, "lang": ""} for one in (here, there))
        if here != there:
            return [f"{name}: {there}", f"the page: {here}"]
        shown, seen = self.page.evaluate(SHOWN), other.evaluate(SHOWN)
        return list(unified_diff(seen, shown, name, "the page", lineterm="", n=1))

    @property
    def name(self) -> str:
        return urlsplit(self.page.url).path.strip("/")

    @property
    def model(self) -> str:
        return query_of(self.page).get("model", "en-de")

    def choices(self) -> list[Callable[[], bool | None]]:
        """What a person can do here. What returns False adds no entry to the history."""
        can: list[Callable[[], bool | None]] = [self.click_page, self.click_page, self.choose_language]
        can += [] if self.follower else [self.open_link]  # which leaves the room
        can += [self.reload]
        if self.page.get_by_test_id("scene-next").is_visible():
            can += [self.next_scene] * 3
        can += [self.back] * 3 if self.at > 0 else []
        can += [self.forward] * 2 if self.at + 1 < len(self.entries) else []
        if self.name in READING and self.page.locator(".st-key-vt-chip").get_by_role("button").count():
            can += [self.type_and_run, self.type_and_run, self.type_and_tap, self.choose_model]
        if self.name in ("overview", "heads"):
            can += [self.choose_head, self.choose_head]
        if self.tabs():
            can += [self.choose_view]
        return can

    def open_link(self) -> None:
        link = self.chance.choice(self.links)
        self.did.append(f"opens {link}")
        self.page.goto(f"{self.url}/{link}")

    def next_scene(self) -> None:
        self.did.append("goes to what is next in the lecture")
        before = self.page.url
        self.page.get_by_test_id("scene-next").click()
        until(self.page, "(before) => location.href !== before", before)

    def open_room(self, follower: Page) -> None:
        """Opens a room, and has the follower come into it."""
        self.did.append("opens a room")
        self.page.get_by_test_id("room-open").click()
        self.page.get_by_test_id("room-begin").click()
        link = self.page.get_by_test_id("room-link")
        expect(link).to_have_value(re.compile(r"room=\w{5}"), timeout=30_000)
        follower.goto(link.input_value())
        self.page.get_by_test_id("room-box").get_by_role("button", name=re.compile("Close|关闭")).first.click()
        expect(self.page.get_by_test_id("room-box")).to_be_hidden()

    def click_page(self) -> None:
        name = self.chance.choice([name for name in PAGES if name != self.name])
        self.did.append(f"clicks {name or 'Lecture'}")
        go_to(self.page, name)

    def text(self) -> str:
        return self.chance.choice([text for text in TEXTS[self.model] if text != query_of(self.page).get("source")])

    def type(self, text: str) -> None:
        """Types a text into the field, and does not have it read yet."""
        field = self.page.locator(".st-key-vt-field").locator("input, textarea")
        if not field.count():
            field = self.open_box().locator(".st-key-source textarea")
        field.fill(text)

    def open_box(self) -> Locator:
        """Opens the box of model and texts, in any language. It opens by itself over a text that cannot be read."""
        box = self.page.get_by_test_id("stPopoverBody")
        if not box.count():
            self.page.locator(".st-key-vt-chip").get_by_role("button").click()
        expect(box).to_be_visible()
        return box

    def close_box(self) -> None:
        """Closes the box, which the page itself may have opened. Escape would first close an open list of options."""
        until(self.page, AT_REST)
        expect(self.page.get_by_test_id("stSelectboxVirtualDropdown")).to_have_count(0)
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_test_id("stPopoverBody")).to_have_count(0)

    def type_and_run(self) -> None:
        text = self.text()
        self.did.append(f"types {text!r} and has it read")
        self.type(text)
        self.page.keyboard.press("Control+Enter")
        until(self.page, SAYS, ["source", self.as_kept(text)])
        if self.page.get_by_test_id("stPopoverBody").count():
            self.close_box()

    def as_kept(self, text: str) -> str:
        field = self.page.locator(".st-key-vt-field input")
        return text.replace("\n", " ") if field.count() else text

    def type_and_tap(self) -> None:
        text, name = self.text(), self.chance.choice([name for name in READING if name != self.name])
        self.did.append(f"types {text!r} and clicks {name}")
        kept = self.as_kept(text)
        self.type(text)
        go_to(self.page, name)
        until(self.page, SAYS, ["source", kept])
        # Two entries of the history: the page, and before it the text, whose address was never seen at rest.
        before = urlsplit(self.entries[self.at])
        typed = {name: said for name, said in parse_qsl(before.query) if name not in OF_TEXT} | {"source": kept}
        self.entries[self.at + 1 :] = [before._replace(query=urlencode(typed)).geturl()]
        self.at += 1

    def choose_model(self) -> None:
        name = self.chance.choice([name for name in TEXTS if name != self.model])
        self.did.append(f"chooses the model {name}")
        self.open_box().locator(".st-key-model").get_by_role("combobox").click()
        self.page.get_by_role("option", name=name, exact=True).click()
        expect(self.page.locator(".vt-chip")).to_contain_text(name)
        self.close_box()

    def choose_head(self) -> None:
        """Chooses another head than is shown. No link names the head that a page opens with."""
        shown = query_of(self.page).get("head", str(load(self.model, "cpu").opens_with.head + 1))
        head = self.chance.choice([head for head in "1234" if head != shown])
        self.did.append(f"chooses head {head}")
        before = self.page.url
        if self.name == "overview":
            chosen = self.page.get_by_test_id(f"tv-head-{head}")
            if chosen.count() and chosen.get_attribute("aria-pressed") != "true":
                chosen.click()
                until(self.page, "(before) => location.href !== before", before)
        elif (canvas := self.page.locator("[data-testid^=hv-canvas-]").first).is_visible():
            canvas.press(head)
            if "view" not in query_of(self.page):
                until(self.page, SAYS, ["head", head])

    def tabs(self) -> list[str]:
        """The tabs in the page's first line that are not chosen."""
        return list(self.page.locator(".st-key-vt-line").get_by_role("radio", checked=False).all_inner_texts())

    def choose_view(self) -> None:
        title = self.chance.choice(self.tabs())
        self.did.append(f"chooses {title}")
        tab = self.page.locator(".st-key-vt-line").get_by_role("radio", name=title, exact=True)
        before = self.page.url
        tab.click()
        until(self.page, "(before) => location.href !== before", before)

    def choose_language(self) -> None:
        self.did.append("chooses the other language")
        language = self.page.locator("html").get_attribute("lang")
        self.page.locator(".st-key-vt-language").get_by_role("button").first.click()
        until(self.page, "(before) => document.documentElement.lang !== before", language)

    def reload(self) -> bool:
        self.did.append("reloads")
        self.page.reload()
        return False

    def back(self) -> bool:
        self.did.append("goes back")
        self.at -= 1
        self.page.go_back()
        return False

    def forward(self) -> bool:
        self.did.append("goes forward")
        self.at += 1
        self.page.go_forward()
        return False

    def share(self) -> None:
        """Asserts that *Share* offers the address, and leaves it as it is."""
        address = self.page.url
        self.page.get_by_test_id("share").click()
        expect(self.page.get_by_test_id("share-link")).to_have_value(without_room(address))
        self.page.get_by_test_id("share-box").get_by_role("button", name=re.compile("Close|关闭")).first.click()
        expect(self.page.get_by_test_id("share-box")).to_be_hidden()
        assert self.page.url == address, f"{address} has become {self.page.url}"


def walk(browser: Browser, url: str, number: int, *, leads: bool = False) -> None:
    """One walk, always the same for a `number`.

    Raises:
        AssertionError: what was done, and what did not agree.
    """
    contexts = [browser.new_context(viewport={"width": 1400, "height": 1000}) for _ in range(3 if leads else 2)]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.add_init_script(RECORD)
    try:
        page, fresh, *follower = pages
        links = LINKS if number < FIRST_IN_A_LECTURE else SCENES
        Walk(page, fresh, url, random.Random(number), links, next(iter(follower), None)).go()
    finally:
        for context in contexts:
            context.close()


def main() -> int:
    """Exit code 1 where a walk failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.walks")
    parser.add_argument("first", nargs="?", type=int, default=0)
    parser.add_argument("count", nargs="?", type=int, default=400)
    parser.add_argument("--leads", action="store_true")
    asked = parser.parse_args()
    failed = 0
    with serve() as url, sync_playwright() as playwright:
        browser = launch(playwright)
        for number in range(asked.first, asked.first + asked.count):
            try:
                walk(browser, url, number, leads=asked.leads)
            except AssertionError as error:
                failed += 1
                print(f"walk {number}:{error}\n", flush=True)
        browser.close()
    print(f"{asked.count - failed} of {asked.count} walks: what is shown, linked, shared and opened anew was one")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
