"""A session holds a few files, and all of them together so many bytes, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from viz_transformer.ui.shared import uploads
from viz_transformer.ui.shared.uploads import MOST, bound_uploads


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryUploadedFileManager]:
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", MemoryUploadedFileManager.add_file)
    bound_uploads()
    yield MemoryUploadedFileManager("/upload")


def test_the_newest_files_stay_and_every_session_has_its_own(files: MemoryUploadedFileManager) -> None:
    names = [str(n) for n in range(MOST + 2)]
    for name in names:
        files.add_file("hostile", UploadedFileRec(name, name, "", b"12345"))
    files.add_file("other", UploadedFileRec("own", "own", "", b"123"))
    assert [one.file_id for one in files.get_files("hostile", names)] == names[-MOST:]
    assert len(files.get_files("other", ["own"])) == 1
    assert files._total_bytes == 5 * MOST + 3


def test_a_file_that_is_sent_again_is_the_newest(files: MemoryUploadedFileManager) -> None:
    for name in ["again", *(str(n) for n in range(MOST - 1)), "again", "last"]:
        files.add_file("one", UploadedFileRec(name, name, "", b"1"))
    assert files.get_files("one", ["again", "last", "0"]) == files.get_files("one", ["again", "last"])
    assert len(files.get_files("one", ["again", "last"])) == 2


def test_all_visitors_files_together_are_bounded_and_who_sends_little_keeps_it(
    files: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 1000)
    files.add_file("quiet", UploadedFileRec("small", "small", "", bytes(50)))
    for n in range(30):
        files.add_file(f"loud {n}", UploadedFileRec("large", "large", "", bytes(240)))
    assert files._total_bytes <= 1000
    assert len(files.get_files("quiet", ["small"])) == 1
    assert sum(len(files.get_files(f"loud {n}", ["large"])) for n in range(30)) == 3


def test_many_may_send_at_once(files: MemoryUploadedFileManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 1000)

    def send(place: int) -> None:
        for n in range(200):
            files.add_file(f"visitor {(place + n) % 7}", UploadedFileRec(str(n), str(n), "", bytes(90)))
            if n % 5 == 0:
                files.remove_session_files(f"visitor {place % 7}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(8)))
    files.add_file("one more", UploadedFileRec("x", "x", "", b"1"))
    assert 0 <= files._total_bytes <= 1000
