"""The browser works kernel regression out by itself while a person drags: by the same formula as Python."""

from __future__ import annotations

import json

import numpy as np

from tests.front_end import node
from viz_transformer.experiments.why_attention.kernel_regression import kernel_weights, nadaraya_watson, scattered

WORK_OUT = """
import { estimate, weightsOf } from "./src/why_attention/kernel_numbers.ts";
const asked = JSON.parse(process.argv[1]);
console.log(JSON.stringify(asked.map(({ query, width, x, y }) => {
  const weights = weightsOf(query, Float64Array.from(x), width);
  return { weights, value: estimate(weights, Float64Array.from(y)) };
})));
"""


def test_weights_and_estimates_are_those_of_python() -> None:
    asked = [
        (query, width, scattered(count, 0.3, seed))
        for count, seed in ((1, 0), (7, 1), (200, 2))
        for query in (0.0, 2.4, 6.0)
        for width in (0.02, 0.35, 5.0)
    ]
    sent = [{"query": query, "width": width, "x": at.x.tolist(), "y": at.y.tolist()} for query, width, at in asked]
    found = json.loads(node("--input-type=module", "--eval", WORK_OUT, json.dumps(sent)))
    for (query, width, points), one in zip(asked, found, strict=True):
        np.testing.assert_allclose(one["weights"], kernel_weights([query], points.x, width)[0], rtol=1e-12, atol=1e-300)
        np.testing.assert_allclose(one["value"], nadaraya_watson([query], points, width)[0], rtol=1e-12)
