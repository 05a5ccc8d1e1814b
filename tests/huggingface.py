"""What Hugging Face's `generate` makes of a search, for the tests that compare ours with it."""

from __future__ import annotations

from viz_transformer import DecodingStep


def finalised(steps: list[DecodingStep], k: int, max_len: int, end_id: int) -> list[tuple[tuple[int, ...], float]]:
    """Our outputs as `generate` returns them: at the longest length, hypotheses that have not ended count, too."""
    last = steps[-1]
    outputs = [(hypothesis.ids, hypothesis.score) for hypothesis in last.finished]
    if last.index + 1 == max_len:
        outputs += [
            ((*steps[-2].live[one.parent].ids, one.token_id), one.score)
            for one in last.candidates[:k]
            if one.token_id != end_id
        ]
    return sorted(outputs, key=lambda output: -output[1])[:k]
