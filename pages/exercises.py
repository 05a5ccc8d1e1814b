"""Exercises: answers typed or found in the app, checked by the model's own numbers; and all of them on paper."""

from viz_transformer.ui.exercises.look import apply_exercises_look
from viz_transformer.ui.exercises.one import choose_exercise, exercise_in_link, show_exercise
from viz_transformer.ui.exercises.sheet import offer_sheets, sheet_in_link, show_sheet
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, picture_and_side
from viz_transformer.views.text import _

apply_exercises_look()
sheet = sheet_in_link()
if sheet:
    show_sheet(sheet)
else:
    Frame(_("Exercises"))
    picture, side = picture_and_side("exercises")
    with picture:
        show_exercise(exercise_in_link())
    with side:  # after the answer was checked: it may just have solved an exercise
        choose_exercise()
        offer_sheets()
    link_note()
