from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from viz_transformer.experiments.architecture.costs import count_flops
from viz_transformer.experiments.why_attention.layer_timing import layer
from viz_transformer.experiments.why_attention.layer_types import (
    LAYER_TYPES,
    Graph,
    LayerType,
    Sizes,
    complexity,
    connections,
    layer_cost,
    layers_needed,
)

kinds = st.sampled_from(LAYER_TYPES)
sizes = st.builds(Sizes, n=st.integers(1, 14), d=st.integers(1, 5), k=st.integers(1, 5), r=st.integers(1, 6))


def distances(graph: Graph) -> np.ndarray:
    """(n, n) connections from each input to each output of the top, by scipy; infinite where there is no way."""
    size = (graph.levels + 1) * graph.n
    rows = [level * graph.n + place for level, place, _, _ in graph.edges]
    columns = [level * graph.n + place for _, _, level, place in graph.edges]
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    return np.asarray(dijkstra(matrix, unweighted=True, indices=range(graph.n)))[:, graph.levels * graph.n :]


@given(kind=kinds, sizes=sizes)
def test_the_longest_path_is_that_of_the_graph(kind: LayerType, sizes: Sizes) -> None:
    cost = layer_cost(kind, sizes)
    found = distances(connections(kind, sizes))
    forwards = found[np.triu_indices(sizes.n)]  # from each input to the outputs at its place and after it
    if cost.path is None:
        assert np.isinf(forwards).any()
    else:
        assert forwards.max() == cost.path
    assert np.isinf(found[np.tril_indices(sizes.n, -1)]).all()  # nothing looks ahead


@given(kind=kinds, sizes=sizes)
def test_no_fewer_layers_are_enough(kind: LayerType, sizes: Sizes) -> None:
    needed = layers_needed(kind, sizes)
    if needed is not None and needed > 1:
        found = distances(connections(kind, sizes, max_layers=needed - 1))
        assert np.isinf(found[np.triu_indices(sizes.n)]).any()


@given(n=st.integers(2, 5000), k=st.integers(2, 40))
def test_the_orders_of_the_paper(n: int, k: int) -> None:
    sizes = Sizes(n, 1, k, k)
    assert layers_needed("dilated", sizes) == pytest.approx(math.log(n, k), abs=1)
    assert layers_needed("convolution", sizes) == math.ceil((n - 1) / (k - 1))
    assert layers_needed("restricted", sizes) == math.ceil((n - 1) / (k - 1))


@pytest.mark.parametrize(("k", "power"), [(2, 16), (3, 5), (10, 3)])
def test_a_power_of_k_needs_no_layer_too_many(k: int, power: int) -> None:
    assert layers_needed("dilated", Sizes(k**power, 1, k, 1)) == power
    assert layers_needed("dilated", Sizes(k**power + 1, 1, k, 1)) == power + 1


@pytest.mark.parametrize("kind", LAYER_TYPES)
def test_one_position_is_one_connection_away(kind: LayerType) -> None:
    assert layer_cost(kind, Sizes(1, 1, 1, 1)).path == 1


def test_attention_and_recurrence_cross_at_n_equal_d() -> None:
    for n in range(1, 60):
        attention, recurrent = (complexity(kind, Sizes(n, 30, 3, 4)) for kind in ("attention", "recurrent"))
        assert (attention < recurrent) is (n < 30)
        assert (attention == recurrent) is (n == 30)


def test_a_neighbourhood_beyond_the_input_costs_no_more_but_a_kernel_does() -> None:
    within, beyond = Sizes(5, 3, 5, 5), Sizes(5, 3, 9, 9)
    assert layer_cost("restricted", beyond) == layer_cost("restricted", within)
    for kind in ("convolution", "dilated"):
        assert layer_cost(kind, beyond).complexity == 9 * 5 * 3**2  # type: ignore[arg-type]
        assert layer_cost(kind, beyond).path == layer_cost(kind, within).path == 1  # type: ignore[arg-type]


@given(kind=kinds, sizes=sizes)
def test_real_layers_take_the_operations_of_table_1_times_a_constant(kind: LayerType, sizes: Sizes) -> None:
    # Two products in attention and in a recurrent step, one in a convolution; a multiply-add counts as two.
    constant = {"attention": 4, "recurrent": 4, "convolution": 2, "dilated": 2, "restricted": 4}[kind]
    run, x = layer(kind, sizes), torch.randn(1, sizes.n, sizes.d)
    assert count_flops(lambda: run(x)) == constant * complexity(kind, sizes)
