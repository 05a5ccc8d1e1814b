"""The numbers behind the lessons."""

from __future__ import annotations

from tests.slips.slip import Slip

EXPERIMENTS: tuple[Slip, ...] = (
    Slip(
        "the lesson's shortest wavelengths are right and its longest are not",
        "viz_transformer/experiments/positions/encoding.py",
        before="(-np.arange(0, d_model, 2) / d_model)",
        after="(-np.arange(0, d_model, 2) / (d_model - 1))",
        tests=("tests/experiments/positions/test_encoding.py::test_it_is_the_encoding_of_the_model_and_of_the_paper",),
    ),
    Slip(
        "the rotation turns the other way",
        "viz_transformer/experiments/positions/encoding.py",
        before=("    matrix[even, odd] = np.sin(angles)\n    matrix[odd, even] = -np.sin(angles)"),
        after=("    matrix[even, odd] = -np.sin(angles)\n    matrix[odd, even] = np.sin(angles)"),
        tests=("tests/experiments/positions/test_encoding.py::test_the_rotation_moves_every_position_k_further",),
    ),
    Slip(
        "a contribution takes the columns of W_O for its rows",
        "viz_transformer/experiments/heads/contributions.py",
        before="w_o.reshape(-1, heads, width)",
        after="w_o.T.reshape(-1, heads, width)",
        tests=(
            "tests/experiments/heads/test_contributions.py::test_contributions_are_lengths_of_vectors_that_add_up_to_the_output",
        ),
    ),
    Slip(
        "contributions are negative",
        "viz_transformer/experiments/heads/contributions.py",
        before="record.weights * lengths[:, None, :]",
        after="-record.weights * lengths[:, None, :]",
        tests=(
            "tests/experiments/heads/test_contributions.py::test_contributions_are_lengths_of_vectors_that_add_up_to_the_output",
        ),
    ),
    Slip(
        "rollout without the identity",
        "viz_transformer/experiments/heads/contributions.py",
        before="(0.5 * weights + 0.5 * np.eye(len(weights)))",
        after="weights",
        tests=(
            "tests/experiments/heads/test_contributions.py::test_rollout_multiplies_the_layers_with_their_residuals",
        ),
    ),
    Slip(
        "rollout from the last layer to the first",
        "viz_transformer/experiments/heads/contributions.py",
        before="mixed = (0.5 * weights + 0.5 * np.eye(len(weights))) @ mixed",
        after="mixed = mixed @ (0.5 * weights + 0.5 * np.eye(len(weights)))",
        tests=(
            "tests/experiments/heads/test_contributions.py::test_rollout_multiplies_the_layers_with_their_residuals",
        ),
    ),
    Slip(
        "the head of the layer below is knocked out",
        "viz_transformer/experiments/heads/knock_out.py",
        before='(f"{hook_path(head.module, head.layer)}.context", (head.head,))',
        after='(f"{hook_path(head.module, max(0, head.layer - 1))}.context", (head.head,))',
        tests=("tests/experiments/heads/test_knock_out.py::test_the_impact_grid_is_what_one_by_one_ablation_gives",),
    ),
    Slip(
        "an impact has the wrong sign",
        "viz_transformer/experiments/heads/knock_out.py",
        before="yield head, after - before",
        after="yield head, before - after",
        tests=("tests/experiments/heads/test_knock_out.py::test_the_impact_grid_is_what_one_by_one_ablation_gives",),
    ),
    Slip(
        "a word's keys are averaged",
        "viz_transformer/experiments/heads/words.py",
        before="weights[..., list(group)].sum(axis=-1)",
        after="weights[..., list(group)].mean(axis=-1)",
        tests=("tests/experiments/heads/test_words.py::test_merged_rows_sum_to_one_and_are_what_the_definition_says",),
    ),
    Slip(
        "a word may attend only where all its tokens may",
        "viz_transformer/experiments/heads/words.py",
        before="any_key[..., list(group), :].any(axis=-2)",
        after="any_key[..., list(group), :].all(axis=-2)",
        tests=("tests/experiments/heads/test_words.py::test_a_word_may_attend_where_one_of_its_tokens_may",),
    ),
    Slip(
        "the theory's variance has d_k − 1 terms",
        "viz_transformer/experiments/scaling/variance.py",
        before="settings.d_k * product",
        after="(settings.d_k - 1) * product",
        tests=("tests/experiments/scaling/test_variance.py::test_under_the_assumption_of_the_paper_it_is_0_and_d_k",),
    ),
    Slip(
        "a sample's variance is divided by n",
        "viz_transformer/experiments/scaling/variance.py",
        before="float((centred**2).sum() / (n - 1))",
        after="float((centred**2).sum() / n)",
        tests=(
            "tests/experiments/scaling/test_variance.py::test_standard_errors_are_those_of_many_draws",
            "tests/experiments/scaling/test_variance.py::test_the_numbers_of_the_proof_are_those_of_the_same_draw",
        ),
    ),
    Slip(
        "the softmax's gradient lacks a factor 2",
        "viz_transformer/experiments/scaling/saturation.py",
        before="second - 2 * third + second**2",
        after="second - third + second**2",
        tests=("tests/experiments/scaling/test_saturation.py",),
    ),
    Slip(
        "biases of the feed-forward are counted twice",
        "viz_transformer/experiments/architecture/costs.py",
        before="2 * d * f + f + d",
        after="2 * (d * f + f + d)",
        tests=("tests/experiments/architecture/test_costs.py::test_parameters_are_those_of_the_model",),
    ),
    Slip(
        "a multiply-add is one operation",
        "viz_transformer/experiments/architecture/costs.py",
        before="4 * d * d * (queries + keys) + 4 * d * queries * keys",
        after="2 * d * d * (queries + keys) + 2 * d * queries * keys",
        tests=("tests/experiments/architecture/test_costs.py::test_every_part_is_what_torch_counts",),
    ),
    Slip(
        "a step's cost leaves the weights times V out",
        "viz_transformer/experiments/decoding/step_by_step.py",
        before="new * (2 * length * d)",
        after="new * (length * d)",
        tests=("tests/experiments/decoding/test_step_by_step.py::test_the_costs_are_what_torch_counts",),
    ),
    Slip(
        "the cache is one step behind",
        "viz_transformer/experiments/decoding/step_by_step.py",
        before="(step + 1 + source_length)",
        after="(step + source_length)",
        tests=("tests/experiments/decoding/test_step_by_step.py",),
    ),
    Slip(
        "one layer too few connects the ends",
        "viz_transformer/experiments/why_attention/layer_types.py",
        before="-(-(n - 1) // (reach - 1))",
        after="(n - 1) // (reach - 1)",
        tests=("tests/experiments/why_attention/test_layer_types.py::test_the_longest_path_is_that_of_the_graph",),
    ),
    Slip(
        "a kernel's width is √d_k",
        "viz_transformer/experiments/why_attention/kernel_regression.py",
        before="        math.sqrt(root),",
        after="        root,",
        tests=(
            "tests/experiments/why_attention/test_kernel_regression.py::test_a_recorded_head_is_kernel_times_factor",
        ),
    ),
    Slip(
        "a kernel is twice as wide",
        "viz_transformer/experiments/why_attention/kernel_regression.py",
        before="-(distances**2) / (2 * width**2)",
        after="-(distances**2) / (8 * width**2)",
        tests=(
            "tests/experiments/why_attention/test_kernel_regression.py::test_the_weights_are_gaussian_densities_normalised",
        ),
    ),
    Slip(
        "the first padding is no leak",
        "viz_transformer/experiments/masks/padding.py",
        before="weights[:, :, :n_source, n_source:]",
        after="weights[:, :, :n_source, n_source + 1 :]",
        tests=("tests/experiments/masks/test_masks.py::test_the_leak_against_passes_made_by_other_means",),
    ),
    Slip(
        "the token before the one that is meant is edited",
        "viz_transformer/experiments/masks/causality.py",
        before="[*target_ids[:place], replacement, *target_ids[place + 1 :]]",
        after="[*target_ids[: place - 1], replacement, *target_ids[place:]]",
        tests=("tests/experiments/masks/test_masks.py::test_the_passes_of_an_edit_are_those_of_a_trace",),
    ),
    Slip(
        "a mask after the softmax is renormalised all the same",
        "viz_transformer/experiments/masks/masked_softmax.py",
        before=("    if renormalise:\n        weights = weights / weights.sum(dim=-1, keepdim=True)"),
        after="    weights = weights / weights.sum(dim=-1, keepdim=True)",
        tests=(
            "tests/experiments/masks/test_masks.py::test_the_weights_multiplied_after_the_softmax_do_not_add_up_to_one",
        ),
    ),
    Slip(
        "the paper's rate falls with 1 / step",
        "viz_transformer/experiments/training/schedule.py",
        before="np.minimum(step**-0.5,",
        after="np.minimum(step**-1,",
        tests=("tests/experiments/training/test_schedule.py::test_the_rate_rises_to_its_peak_and_falls",),
    ),
    Slip(
        "a smoothed target leaves ε / V out",
        "viz_transformer/experiments/training/schedule.py",
        before="np.full(vocab_size, smoothing / vocab_size)",
        after="np.zeros(vocab_size)",
        tests=("tests/experiments/training/test_schedule.py::test_the_target_is_the_one_of_the_loss",),
    ),
    Slip(
        "by hand, the weights of a column add up to 1",
        "viz_transformer/experiments/attention/by_hand.py",
        before="weights = exponentials / exponentials.sum(axis=1, keepdims=True)",
        after="weights = exponentials / exponentials.sum(axis=0, keepdims=True)",
        tests=("tests/experiments/attention/test_by_hand.py::test_the_stages_are_those_of_pytorch",),
    ),
    Slip(
        "the terms of a cell are those of its mirror image",
        "viz_transformer/experiments/attention/steps.py",
        before="stages.q[i].astype(np.float64) * stages.k[j]",
        after="stages.q[j].astype(np.float64) * stages.k[i]",
        tests=("tests/experiments/attention/test_steps.py::test_the_terms_of_a_cell_add_up_to_what_was_recorded",),
    ),
)
