"""A real server: strangers are sent away before Streamlit hears of them, and no message is larger than a page takes.

`tests/outgoing` checks that the server asks nothing of the internet, to check an `Origin` or otherwise.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from bench.browser import serve
from viz_transformer.server.arrivals import LARGEST
from viz_transformer.server.messages import STREAM

FINISHED = "script_finished"
ELSEWHERE = ["https://elsewhere.example", "null", "http://localhost:1", "https://8.8.8.8", ""]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serve() as url:
        yield url


def status(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(url, headers=headers), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def speak(url: str, **options: object) -> ClientConnection:
    return connect(url.replace("http", "ws") + STREAM, proxy=None, compression=None, **options)  # type: ignore[arg-type]


def closes(visitor: ClientConnection) -> None:
    """Asserts that the server closes the connection because a message is too large."""
    try:
        visitor.recv(timeout=10)
    except TimeoutError:
        pytest.fail("The server waits for the rest.")
    except ConnectionClosedError as closed:
        assert closed.rcvd is not None and closed.rcvd.code == 1009


@pytest.mark.parametrize("origin", ELSEWHERE)
@pytest.mark.parametrize("path", ["/", "/overview", "/_stcore/host-config", "/_stcore/health", "/no/such/file"])
def test_another_sites_page_is_told_so(url: str, path: str, origin: str) -> None:
    code, said = status(url + path, Origin=origin)
    assert code == 403 and "own pages only" in said and "只回应自己的页面" in said


@pytest.mark.parametrize("origin", ELSEWHERE)
def test_another_sites_page_opens_no_connection(url: str, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        speak(url, additional_headers={"Origin": origin})
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    "name", ["evil.example", "localhost.evil.example", "127.0.0.1@evil.example", pytest.param("[::1", id="no end")]
)
def test_who_calls_by_another_name_is_told_so(url: str, name: str) -> None:
    code, said = status(url, Host=name)
    assert code == 403 and "does not answer to this name" in said and "不以这个名字" in said
    assert status(f"{url}/readyz", Host=name) == (200, "ready")


def test_a_hundred_at_once_hold_nobody_up(url: str) -> None:
    def knock(_n: int) -> int:
        with pytest.raises(InvalidStatus) as refused:
            speak(url, origin=Origin("https://elsewhere.example"))
        return refused.value.response.status_code

    with ThreadPoolExecutor(100) as strangers:
        assert [*strangers.map(knock, range(100))] == [403] * 100
    assert status(f"{url}/_stcore/health")[0] == 200


def test_its_own_page_comes_in(url: str) -> None:
    assert status(url, Origin=url)[0] == 200
    with speak(url, origin=Origin(url)) as visitor:
        assert visitor.ping().wait(30)


@pytest.mark.parametrize("path", [STREAM, "/room/ABCDE"])
def test_a_frame_that_says_it_is_too_large_is_not_waited_for(url: str, path: str) -> None:
    with connect(url.replace("http", "ws") + path, proxy=None, compression=None, origin=Origin(url)) as visitor:
        visitor.socket.sendall(struct.pack("!BBQ4x", 0x82, 0xFF, LARGEST + 1))  # and none of its bytes
        closes(visitor)


def test_a_message_in_parts_may_be_no_larger(url: str) -> None:
    with speak(url, origin=Origin(url)) as visitor:
        visitor.socket.sendall(struct.pack("!BBQ4x", 0x02, 0xFF, LARGEST - 1) + bytes(LARGEST - 1))
        visitor.socket.sendall(struct.pack("!BBQ4x", 0x00, 0xFF, 2))  # with which it would be larger
        closes(visitor)


def test_what_a_page_takes_goes_through(url: str) -> None:
    said = [{"id": f"$$ID-of-{n}", "string_value": "x" * 999_000} for n in range(4)]
    asked = ClientState(page_name="masks", query_string="model=copy", widget_states={"widgets": said})
    message = BackMsg(rerun_script=asked).SerializeToString()
    assert 0.99 * LARGEST < len(message) < LARGEST
    with speak(url, origin=Origin(url), subprotocols=["streamlit"], max_size=None) as visitor:
        visitor.send(message)
        while (heard := ForwardMsg.FromString(visitor.recv(timeout=60, decode=False))).WhichOneof("type") != FINISHED:
            pass
        assert heard.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
