"""This visitor's runs: whose they are, and that they end when the page is closed."""

from __future__ import annotations

import secrets

import streamlit as st

from viz_transformer.training.queue import TrainingRuns
from viz_transformer.training.run import Run
from viz_transformer.training.toy_runs import RunSettings

AWAY = 15.0  # seconds that a lost connection may take to come back
_KEY = "visitor"


# Made when Python imports this, so once a process, and in none of Streamlit's caches, which can be emptied: its
# processes would go on, and nobody could see or stop them.
_RUNS = TrainingRuns()


def training_runs() -> TrainingRuns:
    """The one queue of this server."""
    return _RUNS


def visitor() -> str:
    """Who this is: a secret of the session. While it is asked for, the visitor is here."""
    name = st.session_state.setdefault(_KEY, secrets.token_hex(16))
    _presence(name)
    return str(name)


# Streamlit releases what belongs to a session when its connection is gone: the page was closed, or the network failed.
@st.cache_resource(scope="session", show_spinner=False, on_release=lambda name: training_runs().leave(name, AWAY))
def _presence(name: str) -> str:
    training_runs().stay(name)
    return name


def own_runs() -> list[Run]:
    """The runs of this visitor, the oldest first."""
    return training_runs().runs_of(visitor())


def finished_runs() -> list[Run]:
    """Those that have a model. Asks nothing of a visitor who has never trained."""
    return [run for run in own_runs() if run.status == "done"] if _KEY in st.session_state else []


def active_run() -> Run | None:
    """The one that waits, runs or is paused."""
    return next((run for run in own_runs() if run.is_active), None)


def start_run(settings: RunSettings) -> Run:
    """Raises QueueFull where it cannot be started now."""
    return training_runs().submit(visitor(), settings)
