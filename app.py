"""Entry point, started by `streamlit run app.py`: run anew for every visitor, and imported once, as the server."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch: its threads make visitors wait for each other

import streamlit as st

if __name__ == "__main__":  # a visitor's run: page set-up and navigation, nothing else
    from viz_transformer.ui.components.page_texts import send_texts
    from viz_transformer.ui.lecture.room import keep_room, show_room
    from viz_transformer.ui.lecture.scene import show_scene
    from viz_transformer.ui.lecture.share import show_share
    from viz_transformer.ui.shared.connection import begin_run
    from viz_transformer.ui.shared.link import arrive
    from viz_transformer.ui.shared.look import apply_look, keep_hidden, mark_menu
    from viz_transformer.ui.shared.reconnect import ask_again_after_a_lost_connection
    from viz_transformer.ui.shared.streamlit_private import refuse_forged_values
    from viz_transformer.ui.shared.text import keep_language, offer_languages
    from viz_transformer.ui.shared.too_large import say_what_was_refused
    from viz_transformer.views.text import _

    refuse_forged_values()
    begin_run()
    arrive()
    keep_language()
    keep_room()
    st.set_page_config(page_icon="🔎", layout="wide")
    keep_hidden()
    apply_look()
    menus = {
        "": [st.Page("pages/lecture.py", title=_("Lecture"), default=True)],
        _("Look inside"): [
            st.Page("pages/overview.py", title=_("Overview")),
            st.Page("pages/attention.py", title=_("Attention step by step")),
            st.Page("pages/heads.py", title=_("Heads")),
            st.Page("pages/decoding.py", title=_("Decoding")),
        ],
        _("Why it is so"): [
            st.Page("pages/why_attention.py", title=_("Why attention")),
            st.Page("pages/scaling.py", title=_("Scaling")),
            st.Page("pages/masks.py", title=_("Masks")),
            st.Page("pages/positions.py", title=_("Positions")),
            st.Page("pages/architecture.py", title=_("Architecture")),
        ],
        _("Do it yourself"): [
            st.Page("pages/exercises.py", title=_("Exercises")),
            st.Page("pages/training.py", title=_("Training")),
            st.Page("pages/slips.py", title=_("Slips"), visibility="hidden"),  # the lecture leads here
        ],
    }
    page = st.navigation(menus, position="top")
    st.set_page_config(page_title=" · ".join([page.title, _("Inside attention")]))
    mark_menu([page in pages for pages in menus.values()].index(True))
    with offer_languages():
        show_share()
        show_room()
    ask_again_after_a_lost_connection()
    send_texts()
    say_what_was_refused()
    show_scene()
    page.run()
else:  # the server: it answers at once, and gets ready meanwhile
    from viz_transformer.server.around import around

    app = st.App(__file__, **around(__file__))  # Streamlit finds the app by parsing this file for this call
