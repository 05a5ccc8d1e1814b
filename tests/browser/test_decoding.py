"""The page Decoding: a lecturer with the keyboard alone, and a student with the mouse and a sentence of her own."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

import viz_transformer as vt
from tests.browser.helpers import go_to, query_of, type_source

Visit = Callable[..., Page]
SOURCE = "我今天很高兴,因为天气很好。"


@pytest.fixture(scope="module")
def translator() -> vt.Translator:
    return vt.load("zh-en", "cpu")


def part(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def wait_for_tree(page: Page) -> None:
    expect(part(page, "dc-strip-cross")).to_be_visible()
    expect(part(page, "dc-loading")).to_be_hidden()


def frames_sent(page: Page) -> list[object]:
    """A list that grows with every message that the page sends to the server, from its next load on."""
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def labels(translator: vt.Translator, ids: tuple[int, ...]) -> list[str]:
    return list(translator.target_tokenizer.labels(ids))


def shown_tokens(page: Page) -> list[str]:
    return part(page, "dc-so-far").locator("bdi").all_inner_texts()


def test_a_lecturer_steps_and_walks_the_tree_by_keyboard_alone(visit: Visit, translator: vt.Translator) -> None:
    page = visit(f"decoding?source={quote(SOURCE)}")
    wait_for_tree(page)
    steps = list(translator.beam_search(SOURCE))
    best = steps[-1].best
    sent = frames_sent(page)
    page.reload()
    wait_for_tree(page)
    for _ in range(60):  # from the top of the page to the stepper
        page.keyboard.press("Tab")
        if part(page, "tv-first").evaluate("button => button.getRootNode().activeElement === button"):
            break
    page.keyboard.press("Enter")
    expect(part(page, "tv-step-text")).to_contain_text(f"step 1 of {len(steps)}")
    expect(part(page, "dc-node-2-1")).to_be_hidden()  # the tree grows with the clock
    page.keyboard.press("Tab")  # "previous" cannot be pressed here: on to "play"
    before = len(sent)
    trace = translator.trace_ids(SOURCE, best.ids)
    layer, head = translator.card["opens_with"]
    for t in range(4):
        expect(part(page, "tv-step-text")).to_contain_text(
            f"has read «{trace.target_tokens[t]}», is writing «{trace.predicted_tokens[t]}»"
        )
        assert shown_tokens(page) == [*trace.target_tokens[: t + 1], trace.predicted_tokens[t]]
        row = trace.attention("cross", layer).weights[head, t]
        assert part(page, "dc-strip-cross").locator(".weight").all_inner_texts() == [f"{w:.2f}" for w in row]
        own = trace.attention("decoder_self", layer)
        expect(part(page, "dc-strip-decoder_self").locator(".masked")).to_have_count(int((~own.mask[t]).sum()))
        expect(part(page, f"dc-node-{t + 1}-1")).to_be_visible()
        page.keyboard.press("ArrowRight")
    page.keyboard.press("2")  # another head
    expect(part(page, "tv-head-2")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("End")
    expect(part(page, "tv-step-text")).to_contain_text(f"step {len(steps)} of {len(steps)}")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("head=2.*step=2|step=2.*head=2"))  # the link follows without the server
    assert len(sent) == before
    page.keyboard.press("End")

    part(page, "dc-tree").locator("button.node[tabindex='0']").focus()  # one stop for the whole tree
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(part(page, "dc-loading")).to_be_hidden()
    level, rank = (int(number) for number in query_of(page).get("node", "1-1").split("-"))
    candidate = steps[level - 1].candidates[rank - 1]
    expect(part(page, "dc-node")).to_contain_text(f"step {level}, rank {rank} of {len(steps[level - 1].candidates)}")
    expect(part(page, "dc-node")).to_contain_text(f"sum {candidate.total_log_prob:.4f}".replace("-", "−"))
    expect(part(page, "tv-step-text")).to_contain_text("this hypothesis ended" if level < len(steps) else "is writing")


def test_a_student_types_a_sentence_and_looks_at_what_was_pruned(visit: Visit, translator: vt.Translator) -> None:
    text = "我喜欢看书。"
    page = visit("decoding?beam=3")
    wait_for_tree(page)
    type_source(page, text)
    steps = list(translator.beam_search(text, beam_size=3))
    expect(part(page, "output")).to_have_text(translator.target_tokenizer.decode(steps[-1].best.ids))
    wait_for_tree(page)
    t = 2
    rank, pruned = next((r, c) for r, c in enumerate(steps[t].candidates) if c.status == "pruned")
    node = part(page, f"dc-node-{t + 1}-{rank + 1}")
    node.hover()
    expect(part(page, "dc-node")).to_contain_text(f"{pruned.margin:.4f} below")
    node.click()
    ids = (*steps[t - 1].live[pruned.parent].ids, pruned.token_id)
    trace = translator.trace_ids(text, ids)
    expect(part(page, "dc-so-far").locator("bdi")).to_have_text(["<s>", *labels(translator, ids)])
    expect(part(page, "tv-bars").locator(".taken")).to_contain_text(
        f"{trace.token_log_probs[-1]:.4f}".replace("-", "−")
    )
    assert query_of(page)["node"] == f"{t + 1}-{rank + 1}"

    link = page.url
    other = visit(link[link.index("decoding") :])  # on a second screen
    wait_for_tree(other)
    expect(part(other, "dc-so-far").locator("bdi")).to_have_text(["<s>", *labels(translator, ids)])

    page.get_by_role("button", name=f"Ban «{pruned.token}»", exact=True).click()
    expect(page.get_by_text("After: with the what-ifs")).to_be_visible()
    banned = [
        i for i in range(translator.target_tokenizer.vocab_size) if translator.target_tokenizer.label(i) == pruned.token
    ]
    (*_, last) = translator.beam_search(text, beam_size=3, banned_ids=(0, 1, *banned))
    expect(part(page, "output").nth(1)).to_have_text(translator.target_tokenizer.decode(last.best.ids))
    assert query_of(page)["ban"] == pruned.token


def test_the_length_penalty_ranks_anew_in_the_browser_and_says_when_that_is_not_enough(
    visit: Visit, translator: vt.Translator
) -> None:
    page = visit(f"decoding?source={quote(SOURCE)}&stop=likely&alpha=0")
    wait_for_tree(page)
    steps = list(translator.beam_search(SOURCE, stop="likely", length_penalty=0.0))
    part(page, "dc-result-2").click()
    slider = part(page, "dc-alpha")
    slider.focus()
    slider.press("Home")
    for n in range(-9, 21):
        slider.press("ArrowRight")
        found = vt.rerank(steps, beam_size=4, max_len=128, length_penalty=n / 10, stop="likely")
        expect(part(page, "dc-alpha-value")).to_have_text(str(n / 10).removesuffix(".0"))
        note = part(page, "dc-alpha-note")
        if n:  # α = 0 is that of the search itself
            expect(note).to_contain_text("To search again" if found.needs_search else f"α = {n / 10:g}")
        texts = [translator.target_tokenizer.decode(h.ids) for h in found.hypotheses]
        assert part(page, "dc-n-best").locator("tbody bdi").all_inner_texts() == texts
    page.wait_for_url(re.compile("rerank=2"))


def test_a_long_output_on_a_phone_scrolls_inside_its_box(visit: Visit) -> None:
    page = visit(f"decoding?source={quote(SOURCE)}&ban=%3C%2Fs%3E&beam=2", width=390)
    wait_for_tree(page)
    expect(part(page, "tv-step-text")).to_contain_text("step 128 of 128")
    expect(part(page, "dc-scroll-hint")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    part(page, "tv-first").click()
    expect(part(page, "tv-step-text")).to_contain_text("step 1 of 128")
    expect(part(page, "dc-tree").locator(".level:not([hidden])")).to_have_count(1)


def box_of(part: Locator) -> dict[str, float]:
    return part.evaluate("part => part.getBoundingClientRect().toJSON()")


@pytest.mark.parametrize(
    "query", ["", "method=greedy", "method=sample", "beam=8&ban=%3C%2Fs%3E", "source=他怎么找到我们的?"]
)
def test_tree_step_and_attention_are_on_the_first_screen(visit: Visit, query: str) -> None:
    page = visit(f"decoding?{query}", width=1280, height=720)
    wait_for_tree(page)
    tree = box_of(part(page, "dc-tree"))
    assert tree["top"] <= 200
    for name in ("tv-step", "tv-head-1", "dc-strip-cross", "dc-strip-decoder_self"):
        assert box_of(part(page, name))["top"] < 700, name
    if "ban" not in query and "sample" not in query:  # longer rows scroll in their boxes
        assert box_of(part(page, "dc-strip-cross"))["bottom"] <= 720
    side = [box_of(part(page, name).last) for name in ("output", "reading")]
    assert all(one["left"] > tree["right"] and one["bottom"] <= 720 for one in side)


def test_on_a_phone_the_tree_begins_on_the_first_screen_and_nothing_is_wider(visit: Visit) -> None:
    page = visit("decoding", width=390, height=844)
    wait_for_tree(page)
    assert box_of(part(page, "dc-tree"))["top"] <= 330
    assert box_of(part(page, "tv-step"))["bottom"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(part(page, "tv-matrix-cross")).to_be_hidden()
    part(page, "dc-result-1").click()
    expect(part(page, "tv-matrix-cross")).to_be_visible()


def test_of_a_long_output_the_window_is_around_the_step(visit: Visit) -> None:
    page = visit(f"decoding?source={quote(SOURCE)}&ban=%3C%2Fs%3E&beam=8&step=60", width=1280, height=720)
    wait_for_tree(page)
    expect(part(page, "tv-step-text")).to_contain_text("step 60 of 128")
    for step in (60, 61, 59):
        head = page.locator("button.column-head.now")
        expect(head).to_have_text(str(step))
        expect(head).to_be_in_viewport()
        read_last = part(page, "dc-strip-decoder_self").locator(".key:not(.masked)").last
        expect(read_last).to_contain_text(str(step))
        expect(read_last).to_be_in_viewport()
        expect(part(page, "dc-node")).to_contain_text("«… ")  # not all sixty
        page.keyboard.press("ArrowRight" if step == 60 else "ArrowLeft")
        if step == 61:
            page.keyboard.press("ArrowLeft")
    assert box_of(part(page, "dc-node"))["height"] < 60


def test_the_head_chosen_here_comes_along_to_another_page_and_back(visit: Visit) -> None:
    page = visit(f"decoding?source={quote('他怎么找到我们的?')}&layer=2&head=4", width=1280, height=720)
    wait_for_tree(page)
    page.keyboard.press("2")
    part(page, "tv-layer-1").click()
    expect(part(page, "tv-head-2")).to_have_attribute("aria-pressed", "true")
    go_to(page, "heads")
    page.wait_for_url(re.compile("/heads.*layer=1.*head=2|/heads.*head=2.*layer=1"))
    go_to(page, "decoding")
    wait_for_tree(page)
    expect(part(page, "tv-head-2")).to_have_attribute("aria-pressed", "true")
    expect(part(page, "tv-layer-1")).to_have_attribute("aria-pressed", "true")


def test_nothing_jumps_from_step_to_step_and_from_head_to_head(visit: Visit) -> None:
    page = visit(f"decoding?source={quote('他怎么找到我们的?')}", width=1280, height=720)
    wait_for_tree(page)

    def places() -> list[dict[str, float]]:
        return [box_of(part(page, name)) for name in ("dc-tree", "tv-step", "dc-strip-cross", "dc-strip-decoder_self")]

    before = [(one["left"], one["top"]) for one in places()]
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "1", "2", "End"):
        page.keyboard.press(key)
        assert [(one["left"], one["top"]) for one in places()] == before, key


def test_the_step_shown_is_told_forced_and_banned(visit: Visit, translator: vt.Translator) -> None:
    text = "他怎么找到我们的?"
    page = visit(f"decoding?source={quote(text)}")
    wait_for_tree(page)
    *_, last = translator.beam_search(text)
    tokens = labels(translator, last.best.ids)
    expect(part(page, "dc-ban")).to_be_hidden()  # at the end token
    part(page, "tv-first").click()
    part(page, "tv-next").click()
    expect(part(page, "dc-node")).to_contain_text(f"«{' '.join(tokens[:2])}»")
    expect(part(page, "dc-node")).not_to_contain_text("finished")
    part(page, "dc-force").click()
    prefix = translator.target_tokenizer.decode(last.best.ids[:2])
    expect(page.get_by_text(f"forced: «{prefix}»")).to_be_visible()
    assert query_of(page)["prefix"] == prefix
    expect(part(page, "output")).to_have_count(2)
    part(page, "tv-first").click()
    for _ in range(2):
        part(page, "tv-next").click()
    expect(part(page, "dc-ban")).to_have_text(f"Ban «{tokens[2]}»")
    part(page, "dc-ban").click()
    banned = [
        i for i in range(translator.target_tokenizer.vocab_size) if translator.target_tokenizer.label(i) == tokens[2]
    ]
    (*_, other) = translator.beam_search(text, prefix_ids=last.best.ids[:2], banned_ids=(0, 1, *banned))
    expect(part(page, "output").nth(1)).to_have_text(translator.target_tokenizer.decode(other.best.ids))
    page.get_by_text("What if …").click()
    expect(page.get_by_role("textbox", name="Forced prefix")).to_have_value(prefix)
    page.get_by_role("button", name="Clear prefix and bans").click()
    expect(part(page, "output")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Forced prefix")).to_have_value("")
    expect(page.get_by_role("textbox", name="Forced prefix")).to_be_visible()  # the box stays open
    assert not {"prefix", "ban"} & query_of(page).keys()


def test_a_word_that_is_no_token_leaves_the_tree_where_it_is(visit: Visit) -> None:
    page = visit("decoding?ban=zzqq")
    wait_for_tree(page)
    expect(page.get_by_role("alert")).to_contain_text("«zzqq» is not a single token here")
    expect(part(page, "output")).to_have_text("Hello, world!")


HOSTILE = [
    "![x](http://127.0.0.1:9/x.png)",
    "[x](http://127.0.0.1:9/) <http://127.0.0.1:9/> http://127.0.0.1:9/ www.example.com x@example.com",
    "<img src=http://127.0.0.1:9/x.png> <b>x</b> <!-- x --> &lt;b&gt; &#42;",
    "$x^2$ $$x$$ \\(x\\) \\$x\\$",
    ":red[x] :blue-background[x] :red-badge[x] :small[x] :color[x]{foreground=red} ::red[x]",
    ":material/face: :material_face: :streamlit: :smile: :+1: :-) <3",
    "*x* **x** _x_ ~~x~~ `x` ``x`` [^1] | x |",
    "# x > x - x 1. x --- -> <- <-> -- >= <= ~=",
]


@pytest.mark.parametrize("parameter", ["ban", "order", "prefix", "source", "target"])
def test_a_link_cannot_make_an_image(visit: Visit, parameter: str) -> None:
    """`visit` fails where the page asks for the image."""
    text = HOSTILE[0]
    page = visit("decoding?" + urlencode({parameter: text}))
    if parameter in ("ban", "order"):
        expect(page.get_by_role("alert")).to_contain_text(text)
    else:
        wait_for_tree(page)
    expect(page.locator('img[src*="127.0.0.1:9/"], a[href*="127.0.0.1:9/"]')).to_have_count(0)


def test_a_sentence_shows_what_was_typed_and_nothing_is_made_of_it(visit: Visit) -> None:
    page = visit("decoding?model=copy&source=1+2+3&order=x")
    box = page.get_by_role("textbox", name="Order of the")
    sentence = page.get_by_role("alert")
    for text in HOSTILE:
        box.fill(text)
        box.press("Enter")
        expect(sentence).to_contain_text(text)
        assert f"it was: {text}." in (sentence.text_content() or "")  # every sign of it, the spaces too
        made = (
            "a, img, code, em, strong, del, sup, li, hr, table, .katex, h1, h2, blockquote, [role=img], [style*=color]"
        )
        expect(sentence.get_by_test_id("stMarkdownContainer").locator(made)).to_have_count(0)
