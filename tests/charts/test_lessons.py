"""Every plot of the lessons holds the numbers of its formula."""

from __future__ import annotations

import numpy as np
import pytest

from tests.packed import unpacked
from viz_transformer.charts.plots import Axis, Plot, Series
from viz_transformer.charts.positions import change_plot, curve_plot, kinds_plot, offset_plot
from viz_transformer.charts.scaling import (
    density_plot,
    places_plot,
    saturation_plot,
    shell_plot,
    variance_plot,
    weight_plot,
)
from viz_transformer.ui.components.number_table import Cell, Table
from viz_transformer.ui.components.plot_view import Plots
from viz_transformer.views.codec import pack

LABELS = {
    name: name
    for name in (
        "draw", "x", "y", "unscaled", "scaled", "dot", "additive", "here", "mean", "root", "title", "chance",
    )
} | {"theory": "theory: {name}"}  # fmt: skip
N = np.arange(1.0, 5.0)


def test_a_histogram_stands_under_its_curves() -> None:
    edges, x = np.arange(5.0), np.linspace(0, 4, 9)
    plot = density_plot("d", "t", edges, N / 10, {"one": np.sin(x), "two": np.cos(x)}, x, LABELS)
    np.testing.assert_array_equal(plot["draw"].y, N / 10)
    np.testing.assert_array_equal(plot["draw"].x, edges)
    np.testing.assert_array_equal(plot["one"].y, np.sin(x))
    np.testing.assert_array_equal(plot["two"].y, np.cos(x))
    assert [one.dashed for one in plot.series] == [False, False, True]


def test_the_variance_is_divided_by_d_k_with_its_error() -> None:
    plot = variance_plot(N, 3 * N, N / 2, 2 * N, "t", LABELS)
    np.testing.assert_array_equal(plot["unscaled"].y, 3 * N)
    np.testing.assert_allclose(plot["scaled"].y, 3)
    assert plot["scaled"].error == pytest.approx(np.full(4, 0.5))
    np.testing.assert_allclose(plot["theory: unscaled"].y, 2 * N)
    np.testing.assert_allclose(plot["theory: scaled"].y, 2)
    assert (plot.x.log, plot.y.log) == (2, 10)
    assert len(variance_plot(N, N, N, None, "t", LABELS).series) == 2  # no line where theory has none


def test_weights_and_measures_of_the_softmax() -> None:
    plot = weight_plot("dot", "t", np.array([0.25, 0.75]), LABELS)
    assert plot["draw"].x.tolist() == [0.5, 1.5, 2.5]
    assert (plot.y.low, plot.y.high) == (0, 1)
    measured = {name: np.stack([n * N, N / 10]) for n, name in enumerate(("dot", "scaled", "additive"), start=1)}
    plot = saturation_plot("s", "t", N, measured, 2, LABELS)
    for n, name in enumerate(("dot", "scaled", "additive"), start=1):
        np.testing.assert_array_equal(plot[name].y, n * N)
        np.testing.assert_array_equal(plot[name].error, N / 10)
    assert plot["here"].x.tolist() == [3, 3, 3]
    assert plot["here"].y.tolist() == [3, 6, 9]


def test_the_shell_has_the_radius_root_d() -> None:
    plot = shell_plot(N, N + 1, N / 4, "t", LABELS)
    np.testing.assert_array_equal(plot["root"].y, np.sqrt(N))
    np.testing.assert_array_equal(plot["mean"].y, N + 1)
    np.testing.assert_array_equal(plot["mean"].error, N / 4)


def test_points_of_two_groups_stand_side_by_side_above_their_places() -> None:
    groups = {"a": (np.array([0.0, 1.0]), np.array([2.0, 3.0]), ("p", "q")), "b": (np.zeros(1), np.ones(1), ("r",))}
    plot = places_plot("p", "t", ("first", "second"), groups, ("level", 1.5), LABELS, log=True)
    assert plot["a"].y.tolist() == [2, 3]
    assert np.round(plot["a"].x).tolist() == [0, 1]
    assert plot["a"].x[0] < plot["b"].x[0]
    assert plot["level"].y.tolist() == [1.5, 1.5]
    assert plot.x.labels == ("first", "second")
    assert len(places_plot("p", "t", ("first", "second"), groups, None, LABELS, log=False).series) == 2


def test_curves_offsets_kinds_and_changes_are_what_was_put_in() -> None:
    plot = curve_plot(N, N, {"sine": (np.sin(N), np.sin(N)), "cosine": (np.cos(N), np.cos(N))}, LABELS)
    assert [(one.name, one.kind) for one in plot.series[:2]] == [("sine", "line"), ("sine", "points")]
    np.testing.assert_array_equal(plot["cosine"].y, np.cos(N))
    plot = offset_plot("o", N, {"line": N**2}, {"points": N**3}, LABELS)
    assert plot["line"].y.tolist() == [1, 4, 9, 16]
    assert plot["points"].y.tolist() == [1, 8, 27, 64]
    plot = kinds_plot("k", N, {"a": N, "b": -N}, LABELS, chance=0.125)
    assert plot["chance"].y.tolist() == [0.125, 0.125]
    assert plot["b"].y.tolist() == [-1, -2, -3, -4]
    plot = change_plot(("1 a", "2 a"), {"on": N[:2], "off": N[2:]}, LABELS)
    assert plot.x.labels == ("1 a", "2 a")
    assert plot["off"].y.tolist() == [3, 4]


def test_series_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be"):
        Series("s", "pie", N, N, "draw")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="4 heights, but 4 places for bars"):
        Series("s", "bars", N, N, "draw")
    with pytest.raises(ValueError, match="4 errors and 4 texts"):
        Series("s", "points", N, N, "draw", error=N[:2])


def test_a_view_sends_every_number_as_it_is() -> None:
    numbers = np.array([1, np.nan, np.inf, -1e-300])
    plot = Plot("p", "<b>", Axis("x"), Axis("y"), [Series("s", "points", N, numbers, "draw")])
    table = Table("t", "c", ["a", "b"], [["1", Cell("2", "strong")]])
    content = unpacked(pack(Plots([plot], [table], ["n"]).content()))
    (series,) = content["plots"][0]["series"]
    assert series["y"].dtype == series["x"].dtype == np.float64
    np.testing.assert_array_equal(series["y"], numbers)
    np.testing.assert_array_equal(series["x"], N)
    assert (series["error"], content["plots"][0]["title"]) == (None, "<b>")
    assert [[cell["text"] for cell in row] for row in content["tables"][0]["rows"]] == [["1", "2"]]


def test_further_plots_come_below_and_axes_may_be_fixed() -> None:
    first = Plot("p", "", Axis("x", low=-1, high=1, is_fixed=True), Axis("y"), [], is_wide=True)
    content = unpacked(pack(Plots([first], below=[Plot("q", "", Axis("x"), Axis("y"), [])]).content()))
    assert [(plot["name"], plot["isWide"], plot["x"]["isFixed"]) for plot in content["plots"]] == [("p", True, True)]
    assert [(plot["name"], plot["isWide"], plot["x"]["isFixed"]) for plot in content["below"]] == [("q", False, False)]


def test_plots_and_tables_that_do_not_fit_are_refused() -> None:
    plot = Plot("p", "", Axis("x"), Axis("y"), [])
    with pytest.raises(ValueError, match="names of their own"):
        Plots([plot, plot])
    with pytest.raises(ValueError, match="names of their own"):
        Plots([plot], below=[plot])
    with pytest.raises(ValueError, match="2 columns, but a row has 1 cells"):
        Table("t", "c", ["a", "b"], [["1"]])
    with pytest.raises(ValueError, match="has no rows"):
        Table("t", "c", ["a", "b"], [])
