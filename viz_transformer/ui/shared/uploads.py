"""Files that browsers bring: a few of each visitor's, however many somebody sends."""

from __future__ import annotations

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

MOST = 3  # of a visitor's, those that came last
_add_file = MemoryUploadedFileManager.add_file


def bound_uploads() -> None:
    """Once a process.

    Streamlit keeps every file that is sent for a session until the session ends, also under names that no page has
    asked for, and looks at none but those that a page reads.
    """
    MemoryUploadedFileManager.add_file = _bounded  # type: ignore[method-assign]


def _bounded(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    _add_file(self, session_id, file)
    for file_id in [*self.file_storage[session_id]][:-MOST]:
        self.remove_file(session_id, file_id)
