"""The visitor's run while it goes on, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from viz_transformer.training.queue import MAX_SECONDS, QueueFull, TrainingRuns
from viz_transformer.training.run import Run
from viz_transformer.training.toy_runs import HELD_OUT, QUICK, RunSettings
from viz_transformer.ui.components.number_table import Cell, number_table
from viz_transformer.ui.shared.own_models import own_models
from viz_transformer.ui.shared.training_session import active_run, own_runs, start_run, training_runs
from viz_transformer.ui.training.figures import run_figures
from viz_transformer.ui.training.film_view import film_view
from viz_transformer.ui.training.settings import name_of
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, sentence

BEAT = 1.0  # seconds between two looks at a run


def start_button(settings: RunSettings) -> None:
    """Starts the run that the controls describe, unless there is one already."""
    run = active_run()
    if st.button(_("Train"), type="primary", disabled=run is not None, key="train"):
        try:
            start_run(settings)
        except QueueFull as error:
            st.warning(sentence(error))
        else:
            st.rerun()
    if run is not None:
        st.caption(_("You already have a run: stop it to start another."))


def live_film() -> Run | None:
    """Shows the film of the run that goes on, every second, or else of the last run, and returns that run, or None."""
    return _follow(_show_film)


def live_status() -> None:
    """Shows how far the run that goes on, or the last one, has come, and the buttons that pause or stop it."""
    _follow(_show_status)


def _follow(show: Callable[[Run], None]) -> Run | None:
    """Shows the run that goes on, every second, or the last one, and returns it."""
    run = active_run()
    if run is None:
        runs = own_runs()
        if runs:
            show(runs[-1])
        return runs[-1] if runs else None

    @st.fragment(run_every=BEAT)
    def follow() -> None:
        if not run.is_active:
            st.rerun()  # it is over, and the rest of the page shows its result
        show(run)

    follow()
    return run


def _show_status(run: Run) -> None:
    words = _("Run {number}: {task}, {model}")
    st.header(words.format(number=run.number, task=run.settings.task, model=name_of(run.settings)), anchor=False)
    if run.is_active:
        _buttons(run)
    _say_status(run)


def _show_film(run: Run) -> None:
    if run.film.snapshots:
        film_view(run.film, key=f"film of run {run.number}", steps=run.settings.steps, count=QUICK, is_growing=True)
    if run.step:
        _metrics(run)


def _buttons(run: Run) -> None:
    queue = training_runs()
    with st.container(horizontal=True):
        if run.status == "paused":
            st.button(_("Resume"), key="resume", on_click=_try, args=(queue.resume, run), icon=":material/play_arrow:")
        else:
            is_running = run.status == "running" and not run.wish
            st.button(_("Pause"), key="pause", on_click=queue.pause, args=(run,), disabled=not is_running)
        st.button(_("Stop"), key="stop", on_click=queue.stop, args=(run,), disabled=run.wish == "stop")


def _try(action: Callable[[Run], None], run: Run) -> None:
    try:
        action(run)
    except QueueFull as error:
        st.session_state["queue full"] = sentence(error)


def _say_status(run: Run) -> None:
    if "queue full" in st.session_state:
        st.warning(st.session_state.pop("queue full"))
    steps = run.settings.steps
    if run.is_active:
        st.progress(min(1.0, run.step / steps), _status_text(run, training_runs()))
    elif run.status == "failed":
        st.error(_("This run ended with an error. Other settings may work; the server's log has the details."))
    elif run.translator is None:
        st.warning(_("The loss is no longer a finite number: training diverged, and there is no model to keep."))
    elif run.reached_limit:
        st.warning(
            _("Stopped after {seconds} seconds, the longest that a run may take, at step {step} of {steps}.").format(
                seconds=MAX_SECONDS, step=run.step, steps=steps
            )
        )


def _status_text(run: Run, queue: TrainingRuns) -> str:
    place = queue.place(run)
    if place:
        seconds = queue.longest_wait(run)
        if seconds is None:
            return _("Place {place} in the queue; others on this server are waiting too.").format(place=place)
        return _("Place {place} in the queue. It starts within {seconds} seconds.").format(
            place=place, seconds=round(seconds)
        )
    if run.status == "paused":
        return _("Paused after step {step} of {steps}").format(step=run.step, steps=run.settings.steps)
    if run.wish == "pause":
        return _("Pausing after this step …")
    if run.wish == "stop":
        return _("Stopping after this step, then measuring …")
    left = run.seconds_left
    if left is None:
        return _("Starting …")
    most = queue.seconds_before_limit(run)
    words = (
        _("Step {step} of {steps}, about {seconds} seconds left")
        if left <= most
        else _(
            "Step {step} of {steps}; at this speed the run will reach its time limit before it is done, in "
            "{seconds} seconds"
        )
    )
    return words.format(step=run.step, steps=run.settings.steps, seconds=round(min(left, most)))


def _metrics(run: Run) -> None:
    film, progress = run.film, run.progress
    last = run.numbers or (film.snapshots[-1].numbers if film.snapshots else {})
    loss, accuracy, exact, rate, speed = st.columns(5)
    newest = film.curve[-1] if film.curve else progress
    if newest:
        loss.metric(
            _("Training loss, nats"),
            f"{newest['loss']:.3f}",
        )
        rate.metric(_("Learning rate"), f"{newest['learning_rate']:.1e}")
    if last:
        accuracy.metric(
            _("Token accuracy on {count}").format(count=QUICK),
            f"{last['token_accuracy']:.1%}",
            help=_(
                "Teacher forcing: the share of tokens of held-out sequences that are predicted correctly, each "
                "from the correct prefix."
            ),
        )
        exact.metric(
            _("Exact match on {count}").format(count=run.count if run.numbers else QUICK),
            f"{last['exact_match']:.1%}",
            help=_(
                "Generation: the share of held-out sequences that are written without a mistake, of {quick} at each "
                "snapshot and of {whole} at the end."
            ).format(quick=QUICK, whole=HELD_OUT),
        )
    if "tokens_per_second" in progress:
        speed.metric(_("Tokens per second"), f"{progress['tokens_per_second']:,.0f}")


def show_result(run: Run) -> None:
    """Teacher forcing beside generation, on the same held-out sequences, and where to take the model."""
    if run.status != "done":
        return
    own_models()  # which gives the new model its name
    accuracy, exact = run.numbers["token_accuracy"], run.numbers["exact_match"]
    st.markdown(_("**Teacher forcing and generation**"))
    st.markdown(
        explained(
            "Reading the correct prefix, the model predicts **{accuracy}** of the tokens (loss {loss} nats, "
            "both on {quick} held-out sequences). Generating from its own output, it gets **{exact}** of "
            "{count} held-out sequences right from start to end."
        ).format(
            accuracy=f"{accuracy:.1%}",
            loss=f"{run.numbers['valid_loss']:.3f}",
            quick=QUICK,
            exact=f"{exact:.1%}",
            count=run.count,
        )
    )
    if not run.settings.causal:
        st.info(
            explained(
                "Why: without the causal mask, the row that is to predict a token can read that very token, one "
                "place further on. Copying it is easy, so the loss falls to almost nothing. In generation there is "
                "no next token to read yet, so what the model relies on is missing."
            )
        )
    number_table(
        "gap",
        _("The same held-out sequences, predicted with teacher forcing and generated; errors are marked"),
        [_("source"), _("correct output"), _("predicted from the correct prefix"), _("generated from its own output")],
        [
            [
                one.source,
                Cell(one.right, "text"),
                _marked(one.teacher_forced, f"{one.right} </s>"),
                _marked(one.generated, one.right),
            ]
            for one in run.examples
        ],
    )
    if run.translator is not None and run.model_name in own_models():
        st.success(
            _("You can now use the model on every page: it is {name} in the list of models.").format(
                name=run.model_name
            )
        )
    elif run.translator is not None and not run.settings.is_for_all_pages:
        st.caption(_why_not_elsewhere(run.settings))
    run_figures(run.film, key=f"figures of run {run.number}")


def _why_not_elsewhere(settings: RunSettings) -> str:
    if not settings.config.has_attention:
        return _("This model has no attention, so the other pages would have nothing to show.")
    if not settings.residuals:
        return _(
            "This model has no residual connections, but the other pages refer to them throughout: it can be"
            " used only here."
        )
    return _(
        "This model computes with its slip. The other pages would compute without it and show different numbers: "
        "the model can be used only here."
    )


def _marked(text: str, right: str) -> Cell:
    return Cell(text or "∅", "text" if text == right else "text strong")


def show_runs() -> None:
    """A table of all runs of this session, to compare them."""
    runs = [run for run in own_runs() if run.status == "done"]
    if not runs:
        return
    number_table(
        "runs",
        _("Your runs"),
        [
            _("run"),
            _("model"),
            _("task"),
            _("layers × heads × d_model"),
            _("steps"),
            _("peak learning rate, warm-up"),
            _("held-out loss"),
            _("token accuracy on {count}").format(count=QUICK),
            _("exact match on {count}").format(count=HELD_OUT),
            _("seconds"),
        ],
        [_row(run) for run in runs],
    )
    st.button(_("Clear the table"), key="clear", on_click=_clear)


def _row(run: Run) -> list[str | Cell]:
    settings, numbers = run.settings, run.numbers
    return [
        str(run.number),
        Cell(name_of(settings), "text"),
        Cell(settings.task, "text"),
        f"{settings.n_layers} × {settings.n_heads} × {settings.d_model}",
        f"{run.step} / {settings.steps}",
        f"{settings.learning_rate:g}, {settings.warmup}",
        f"{numbers['valid_loss']:.3f}",
        f"{numbers['token_accuracy']:.1%}",
        f"{numbers['exact_match']:.1%}",
        f"{run.progress['seconds']:.1f}",
    ]


def _clear() -> None:
    runs = own_runs()
    if runs:
        training_runs().clear(runs[0].owner)
