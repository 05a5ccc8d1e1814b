"""Exercises: answers typed or found in the app, checked by the model's own numbers; and all of them on paper."""

from viz_transformer.ui.exercises.look import apply_exercises_look
from viz_transformer.ui.exercises.one import choose_exercise, exercise_in_link, show_exercise
from viz_transformer.ui.exercises.sheet import is_sheet_in_link, offer_sheet, show_sheet
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, picture_and_side
from viz_transformer.views.text import _

apply_exercises_look()
if is_sheet_in_link():
    show_sheet()
else:
    Frame(_("Exercises"))
    picture, side = picture_and_side("exercises")
    with picture:
        show_exercise(exercise_in_link())
    with side:  # after the answer was checked: it may just have solved an exercise
        choose_exercise()
        offer_sheet()
    link_note()
