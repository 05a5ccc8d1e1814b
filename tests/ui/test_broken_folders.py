"""A folder of broken models: its list is read at every run of a page, so nothing in it may wait, crash or cost much."""

from __future__ import annotations

import time
from pathlib import Path
from shutil import copytree

import pytest

from tests.broken_models import BROKEN, save_valid
from tests.helpers import assert_sentence
from viz_transformer import CheckpointError
from viz_transformer.ui.shared.folder_models import MODELS, PREFIX, folder_models, load_folder_model


@pytest.mark.timeout(300)
def test_each_is_refused_in_the_list_or_when_it_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODELS, str(tmp_path))
    save_valid(tmp_path / "valid")
    names = {}
    for number, (name, (spoil, _named)) in enumerate(BROKEN.items()):
        spoil(copytree(tmp_path / "valid", tmp_path / f"{number:03}"))
        names[f"{PREFIX}{number:03}"] = name
    began = time.process_time()
    listed = folder_models()
    assert time.process_time() - began < len(BROKEN) / 10
    assert names.keys() <= listed.keys()
    for place, name in names.items():
        fault = listed[place].fault
        if fault is None:
            with pytest.raises(CheckpointError) as caught:
                load_folder_model(place, "cpu")
            fault = caught.value
        assert_sentence(fault)
        assert len(str(fault)) < 1500, name
    valid = load_folder_model(f"{PREFIX}valid", "cpu")
    assert valid.translate("I love the cats.")


def test_a_link_to_itself_hides_no_other_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODELS, str(tmp_path))
    save_valid(tmp_path / "valid")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert [*folder_models()] == [f"{PREFIX}valid"]
