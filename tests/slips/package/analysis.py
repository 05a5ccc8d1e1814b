"""Measures of heads, alignments, catalogues."""

from __future__ import annotations

from tests.slips.slip import Slip

ANALYSIS: tuple[Slip, ...] = (
    Slip(
        "entropy in nats for bits",
        "viz_transformer/analysis/measures.py",
        before="np.log2(weights, out",
        after="np.log(weights, out",
        tests=("tests/analysis/test_measures.py::test_every_measure_is_what_its_definition_says",),
    ),
    Slip(
        "the previous token is the next one",
        "viz_transformer/analysis/measures.py",
        before="lambda record: _offset(record, -1)",
        after="lambda record: _offset(record, 1)",
        tests=("tests/analysis/test_measures.py::test_every_measure_is_what_its_definition_says",),
    ),
    Slip(
        "the anti-diagonal is one place off",
        "viz_transformer/analysis/measures.py",
        before="len(record.key_tokens) - 2 - queries",
        after="len(record.key_tokens) - 1 - queries",
        tests=("tests/analysis/test_measures.py::test_every_measure_is_what_its_definition_says",),
    ),
    Slip(
        "the decoder's first row counts",
        "viz_transformer/analysis/measures.py",
        before="record.mask.sum(axis=1) > 1",
        after="record.mask.sum(axis=1) > 0",
        tests=("tests/analysis/test_measures.py::test_the_decoders_first_row_is_left_out",),
    ),
    Slip(
        "the diagonal takes the end tokens in",
        "viz_transformer/analysis/measures.py",
        before="queries < min(record.mask.shape) - 1",
        after="queries < min(record.mask.shape)",
        tests=("tests/analysis/test_measures.py::test_every_measure_is_what_its_definition_says",),
    ),
    Slip(
        "distances have a sign",
        "viz_transformer/analysis/measures.py",
        before="np.abs(queries[:, None] - keys[None, :])",
        after="queries[:, None] - keys[None, :]",
        tests=("tests/analysis/test_measures.py::test_every_measure_is_what_its_definition_says",),
    ),
    Slip(
        "effective keys are 2 to the mean entropy",
        "viz_transformer/analysis/measures.py",
        before="_mean((2 ** entropy(record.weights[:, _rows(record)])).astype(np.float32))",
        after="2 ** _mean(entropy(record.weights[:, _rows(record)]).astype(np.float32))",
        tests=("tests/analysis/test_measures.py::test_every_measure_is_what_its_definition_says",),
    ),
    Slip(
        "alignment counts the end token as the last word",
        "viz_transformer/analysis/scores.py",
        before="links = [(source[key], word) for key, word in zip(best, target, strict=True) if key < len(source)]",
        after="links = [(source[min(key, len(source) - 1)], word) for key, word in zip(best, target, strict=True)]",
        tests=(
            "tests/analysis/test_scores.py::test_alignment_accuracy_is_the_share_of_rows_that_point_at_a_linked_word",
        ),
    ),
    Slip(
        "the alignment error rate is one less precision",
        "viz_transformer/analysis/scores.py",
        before="(drawn.sum(axis=0) + sure)",
        after="(2 * drawn.sum(axis=0))",
        tests=("tests/analysis/test_scores.py::test_the_alignment_error_rate_counts_links_of_all_target_words",),
    ),
    Slip(
        "the alignment error rate is one less recall",
        "viz_transformer/analysis/scores.py",
        before="(drawn.sum(axis=0) + sure)",
        after="(2 * sure)",
        tests=("tests/analysis/test_scores.py::test_the_alignment_error_rate_counts_links_of_all_target_words",),
    ),
    Slip(
        "the rows that predict and those that read are swapped",
        "viz_transformer/analysis/scores.py",
        before='(row == "reads")',
        after='(row == "predicts")',
        tests=(
            "tests/analysis/test_scores.py::test_alignment_accuracy_is_the_share_of_rows_that_point_at_a_linked_word",
        ),
    ),
    Slip(
        "the strongest sentences are the weakest",
        "viz_transformer/analysis/catalogue.py",
        before="(-e.value, -len(e.source), e.source)",
        after="(e.value, -len(e.source), e.source)",
        tests=("tests/analysis/test_catalogue.py::test_means_and_strongest_sentences_are_those_of_the_traces",),
    ),
)
