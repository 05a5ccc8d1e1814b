"""Figures on pages: absent while their box is closed, and drawn from the numbers that they claim to show."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

import viz_transformer as vt
from tests.pages.helpers import open_page
from viz_transformer.experiments.architecture.costs import parameters_by_part
from viz_transformer.training.snapshots import read_film
from viz_transformer.translator import model_folder

PLACES = {
    "about": ("app.py", {}),
    "figures": ("pages/training.py", {"view": "watch", "run": "sort"}),
    "own_schedule": ("pages/training.py", {"view": "pictures"}),
    "areas": ("pages/architecture.py", {"lesson": "cost"}),
    "space": ("pages/positions.py", {"lesson": "encoding", "part": "theory"}),
    "times": ("pages/why_attention.py", {"lesson": "timing", "upto": "32", "d": "8"}),
}


def charts_of(app: AppTest) -> list[Any]:
    return [*app.get("plotly_chart"), *app.get("arrow_vega_lite_chart"), *app.get("vega_lite_chart")]


def opened_figures(parameter: str) -> AppTest:
    path, query = PLACES[parameter]
    return open_page(path, **query, **{parameter: "true"})


def rows(chart: Any) -> pd.DataFrame:
    """What an Altair chart of a page is drawn from."""
    [dataset] = chart.proto.datasets
    return convert_arrow_bytes_to_pandas_df(dataset.data.data)


@pytest.mark.parametrize("parameter", PLACES)
def test_the_link_opens_the_figure_and_without_it_there_is_none(parameter: str) -> None:
    path, query = PLACES[parameter]
    opened, closed = (
        len(charts_of(app)) + len(app.get("bidi_component"))
        for app in (opened_figures(parameter), open_page(path, **query))
    )
    assert opened > closed


def test_curves_of_a_run_are_those_of_its_film() -> None:
    film = read_film(model_folder("sort"))
    losses, rates = (rows(chart) for chart in charts_of(opened_figures("figures")))
    training = losses[losses["series"].str.startswith("training")]
    assert [*training["step"]] == [point["step"] for point in film.curve]
    assert [*training["value"]] == [point["loss"] for point in film.curve]
    held_out = losses[losses["series"] == "held-out"]
    assert [*held_out["value"]] == [one.numbers["valid_loss"] for one in film.snapshots]
    assert [*rates["value"]] == [point["learning_rate"] for point in film.curve]


def test_areas_are_the_parameters_of_the_model() -> None:
    [chart] = charts_of(opened_figures("areas"))
    [tree] = json.loads(chart.proto.spec)["data"]
    model = vt.load("zh-en", "cpu").model
    sizes = dict(zip(tree["ids"], np.asarray(tree["values"]).tolist(), strict=True))
    assert sizes["all"] == model.count_parameters()
    parts = sorted(size for name, size in sizes.items() if "." in name)
    assert parts == sorted(one.total for one in parameters_by_part(model.config) if one.total)
