"""A visitor's training runs, which the browser finds again for an hour after its last page was closed."""

from __future__ import annotations

import os
import secrets
from collections import Counter
from threading import Lock

import streamlit as st

from viz_transformer.training.queue import TrainingRuns
from viz_transformer.training.run import Run
from viz_transformer.training.toy_runs import RunSettings
from viz_transformer.ui.shared.browser import browser

AWAY = float(os.environ.get("VIZ_AWAY_S", 60))  # seconds that a run goes on without its page: phones put pages to sleep
KEPT = 3600.0  # seconds until runs and models are forgotten
_KEY = "visitor"


# Made at import, so once a process, and not kept in one of Streamlit's caches: these can be emptied, and then the runs'
# processes would go on where nobody could see or stop them.
_RUNS = TrainingRuns()
# How many sessions each visitor has: after a reload, the one before may still be there for a while.
_SESSIONS: Counter[str] = Counter()
_LOCK = Lock()


def training_runs() -> TrainingRuns:
    """The one queue of this server."""
    return _RUNS


def visitor() -> str:
    """The visitor's name: a secret of the browser, else of the session. To ask for it counts the visitor as present."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = browser() or secrets.token_hex(16)
    name = str(st.session_state[_KEY])
    _presence(name)
    return name


# Streamlit releases what belongs to a session when its connection is gone: the page was closed, or the network failed.
@st.cache_resource(scope="session", show_spinner=False, on_release=lambda name: _leave(name))
def _presence(name: str) -> str:
    with _LOCK:
        _SESSIONS[name] += 1
        training_runs().stay(name)
    return name


def _leave(name: str) -> None:
    with _LOCK:
        _SESSIONS[name] -= 1
        if not _SESSIONS[name]:
            del _SESSIONS[name]
            training_runs().leave(name, AWAY, KEPT)


def own_runs() -> list[Run]:
    """The runs of this visitor, the oldest first."""
    return training_runs().runs_of(visitor())


def finished_runs() -> list[Run]:
    """Those that have a model. A visitor who has never trained does not count as present."""
    if _KEY not in st.session_state and not training_runs().runs_of(browser() or ""):
        return []
    return [run for run in own_runs() if run.status == "done"]


def active_run() -> Run | None:
    """The one that waits, runs or is paused."""
    return next((run for run in own_runs() if run.is_active), None)


def start_run(settings: RunSettings) -> Run:
    """Starts a run or queues it; raises QueueFull where neither is possible now."""
    return training_runs().submit(visitor(), settings)
