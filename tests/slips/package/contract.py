"""What travels between Python, the browser and the link."""

from __future__ import annotations

from tests.slips.slip import Slip

CONTRACT: tuple[Slip, ...] = (
    Slip(
        "a repeated array is taken for the first of the message",
        "viz_transformer/views/codec.py",
        before="self.same[path] = first",
        after="self.same[path] = next(iter(self.tensors))",
        tests=("tests/ui/test_codec.py::test_what_is_packed_is_read_back_to_the_last_bit",),
    ),
    Slip(
        "arrays of equal bytes and other shapes are one",
        "viz_transformer/views/codec.py",
        before="(name, array.shape, _bytes_of(array)[:64].tobytes())",
        after="(name, (), _bytes_of(array)[:64].tobytes())",
        tests=("tests/ui/test_codec.py::test_equal_arrays_travel_once",),
    ),
    Slip(
        "an array travels turned",
        "viz_transformer/views/codec.py",
        before="np.ascontiguousarray(array).reshape(array.shape)",
        after="np.asfortranarray(array).T.ravel().reshape(array.shape)",
        tests=("tests/ui/test_codec.py::test_slices_and_other_orders_of_memory_keep_their_numbers",),
    ),
    Slip(
        "a page without texts takes them out of its link",
        "viz_transformer/ui/shared/link.py",
        before="begin_link(TRAVELS)",
        after="begin_link(())",
        tests=(
            "tests/ui/test_taken_along.py::test_a_part_without_the_texts_leaves_them_in_the_link_from_where_they_come_back",
        ),
    ),
    Slip(
        "a page that opens has for a moment what its link has of no control of before",
        "viz_transformer/ui/shared/streamlit_private.py",
        before="    link.populate_from_query_string = whole\n",
        after="",
        tests=("tests/ui/test_taken_along.py",),
    ),
    Slip(
        "a late message has a link run as if it did not lead",
        "viz_transformer/ui/shared/stale.py",
        before="asked.is_history_navigation = self.opens",
        after="asked.is_history_navigation = False",
        tests=("tests/ui/test_stale.py::test_a_control_of_the_page_before_has_the_new_one_run_as_it_was_opened",),
    ),
    Slip(
        "an index counts from 0 in the link",
        "viz_transformer/views/linked.py",
        before="return str(value + 1)",
        after="return str(value)",
        tests=("tests/ui/test_link.py::test_the_grammar",),
    ),
    Slip(
        "a cell's row and column are swapped in the link",
        "viz_transformer/views/linked.py",
        before='"-".join(INDEX.write(index) for index in value)',
        after='"-".join(INDEX.write(index) for index in reversed(value))',
        tests=("tests/ui/test_link.py::test_the_grammar",),
    ),
    Slip(
        "a head's layer and number are swapped when a link is read",
        "viz_transformer/views/linked.py",
        before="HeadRef(name, INDEX.read(place[0]), INDEX.read(place[1]))",
        after="HeadRef(name, INDEX.read(place[1]), INDEX.read(place[0]))",
        tests=("tests/ui/test_link.py::test_what_is_written_is_read_back",),
    ),
    Slip(
        "an index is clamped one too far",
        "viz_transformer/views/linked.py",
        before="min(index, size - 1)",
        after="min(index, size)",
        tests=("tests/ui/test_link.py::test_a_view_is_clamped_to_what_there_is",),
    ),
    Slip(
        "what is usual is left out where other pages look for it",
        "viz_transformer/ui/shared/link.py",
        before="*([] if is_always(view, name) else [getattr(usual, name)])",
        after="getattr(usual, name)",
        tests=("tests/ui/test_link.py::test_what_is_as_usual_is_left_out_unless_other_pages_look_for_it",),
    ),
    Slip(
        "what is asked is sent, not what fits",
        "viz_transformer/ui/components/component.py",
        before="return self._show(content, key, fit(view), fit, on_change, {})",
        after="return self._show(content, key, view, fit, on_change, {})",
        tests=("tests/ui/test_component.py::test_what_is_asked_and_what_is_committed_are_fitted_to_the_content",),
    ),
    Slip(
        "a view of an earlier revision counts",
        "viz_transformer/ui/components/component.py",
        before='not isinstance(raw, dict) or raw.get("revision") != sent.revision',
        after="not isinstance(raw, dict)",
        tests=("tests/ui/test_component.py::test_asking_for_something_new_goes_there",),
    ),
    Slip(
        "a view of other content stays",
        "viz_transformer/ui/components/component.py",
        before="(sent.content, sent.arrivals) != (content, arrivals())",
        after="sent.arrivals != arrivals()",
        tests=("tests/ui/test_component.py::test_other_content_goes_where_it_is_asked_or_stays",),
    ),
    Slip(
        "the link keeps the view before the one that was settled on",
        "viz_transformer/ui/components/component.py",
        before="keep_in_link(fit(view), usual)",
        after="keep_in_link(fit(from_link(usual)), usual)",
        tests=("tests/ui/test_component.py::test_the_link_leads_and_hears_where_a_person_settled",),
    ),
    Slip(
        "a place has the body that was made last",
        "viz_transformer/ui/components/along.py",
        before="places[_text(place)] = bodies[body]",
        after="places[_text(place)] = len(bodies) - 1",
        tests=("tests/ui/test_component.py::test_along_a_bar_each_place_has_a_body_and_equal_ones_travel_once",),
    ),
    Slip(
        "the rest counts a token below the list twice",
        "viz_transformer/views/trace_view.py",
        before="others[listed] = 0.0",
        after="others[listed[:-1]] = 0.0",
        tests=("tests/ui/test_trace_view.py::test_the_likeliest_tokens_the_taken_one_and_the_rest_are_all_there_are",),
    ),
    Slip(
        "a repeated array is taken for one that begins alike",
        "viz_transformer/views/codec.py",
        before="if np.array_equal(_bytes_of(self.tensors[first]), _bytes_of(array)):",
        after="if first:",
        tests=("tests/ui/test_codec.py::test_arrays_that_begin_alike_are_told_apart",),
    ),
    Slip(
        "a step's candidates are ranked from 0",
        "viz_transformer/views/trace_view.py",
        before="np.arange(1, top_k + 1)",
        after="np.arange(top_k)",
        tests=(
            "tests/pages/test_decoding_numbers.py::test_the_attention_rows_of_any_hypothesis_are_those_of_fresh_passes",
        ),
    ),
    Slip(
        "a slider's place is counted from the end",
        "viz_transformer/ui/components/sliders.py",
        before="slider.values[n] for slider, n in",
        after="slider.values[-1 - n] for slider, n in",
        tests=("tests/ui/test_along.py::test_a_place_has_what_its_values_give",),
    ),
)
