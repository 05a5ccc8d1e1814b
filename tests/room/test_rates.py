"""How often somebody may do something."""

from __future__ import annotations

from viz_transformer.room.rates import Bucket


def test_a_bucket_is_emptied_at_once_and_filled_steadily() -> None:
    now = 100.0
    bucket = Bucket(rate=2, burst=3, clock=lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now += 0.25
    assert not bucket.take()
    now += 0.25
    assert [bucket.take() for _ in range(2)] == [True, False]
    now += 3600
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
