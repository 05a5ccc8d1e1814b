"""A session holds a few files, whatever is sent for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

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
