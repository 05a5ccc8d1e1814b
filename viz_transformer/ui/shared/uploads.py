"""Files that browsers bring: a few of each visitor's, and so many bytes of all of them, however many somebody sends."""

from __future__ import annotations

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from viz_transformer.ui.shared.sizes import budget

MOST = 3  # of a visitor's, those that came last
MOST_BYTES = budget() // 4  # of all visitors' together; the budget itself does not hold them
_add_file = MemoryUploadedFileManager.add_file


def bound_uploads() -> None:
    """Once a process.

    Streamlit keeps every file that is sent for a session until the session ends, also under names that no page has
    asked for, and looks at none but those that a page reads.
    """
    MemoryUploadedFileManager.add_file = _bounded  # type: ignore[method-assign]


def _bounded(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    self.remove_file(session_id, file.file_id)  # sent again, it is the last that came
    _add_file(self, session_id, file)
    with self._lock:  # others are sent meanwhile
        held = {session: [*files.values()] for session, files in self.file_storage.items()}
    for old in held.get(session_id, [])[:-MOST]:
        self.remove_file(session_id, old.file_id)
        held[session_id].remove(old)
    sizes = {session: sum(len(one.data) for one in files) for session, files in held.items()}
    while sum(sizes.values()) > MOST_BYTES:
        session = max(sizes, key=lambda name: sizes[name])  # who sends little keeps it
        old = held[session].pop(0)
        self.remove_file(session, old.file_id)
        sizes[session] -= len(old.data)
