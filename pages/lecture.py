"""The home page: a lecture as a path of scenes. Old links, made when the overview stood here, are sent on to it."""

import streamlit as st

from viz_transformer.lecture_links import shipped_lectures
from viz_transformer.lectures import CLOSING, said
from viz_transformer.ui.lecture.closing import show_closing
from viz_transformer.ui.lecture.editor import show_editor
from viz_transformer.ui.lecture.path import show_notes, show_path
from viz_transformer.ui.lecture.scene import lecture_or_sentence
from viz_transformer.ui.shared.frame import Frame, Titled
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, language

OF_OVERVIEW = {"model", "source", "target", "module", "layer", "head", "step", "cell"}
if OF_OVERVIEW & set(st.query_params):
    st.switch_page("pages/overview.py", query_params=st.query_params.to_dict())

APP = _(
    "See every number in a Transformer as it translates: follow a lecture, type a sentence, or train a model "
    "of your own."
)
QUESTIONS = {
    "attention": _(
        "How does a Transformer translate a sentence? {count} scenes, each with a question before its answer."
    ).format(count=len(shipped_lectures()["attention"].scenes)),
    "slips": _("Seven mistakes that nearly everybody makes once. How would you notice each of them?"),
}
asked = st.query_params.get("lecture", "")
if "notes" in st.query_params:
    if lecture := lecture_or_sentence(asked):
        show_notes(asked, lecture)
    st.stop()
if st.query_params.get("scene") == CLOSING and (lecture := lecture_or_sentence(asked)) and lecture.closing:
    show_closing(lecture)
    st.stop()

shown = dict(shipped_lectures())
tabs = {
    name: Titled(said(lecture.title, language()), f"{APP}\n\n{QUESTIONS.get(name, '')}")
    for name, lecture in shown.items()
}
if asked and asked not in shown and (lecture := lecture_or_sentence(asked)):
    shown[asked] = lecture
    tabs[asked] = Titled(_("Your own lecture"), f"{APP}\n\n{verbatim(said(lecture.title, language()))}")
frame = Frame(_("Inside attention"), tabs, "lecture")
show_path(frame.view, shown[frame.view])
show_editor("" if frame.view in shipped_lectures() else frame.view, shown[frame.view])
