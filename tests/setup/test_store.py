"""Tables are stored whole or not at all; there may be several, the one in use first."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from calibration import CalibratedLens, TableFolder
from companion.board import BadInputError
from companion.setup.draft import Draft
from companion.setup.store import Finished, Store, lens_of
from tests.setup.conftest import EVENING, Drawn


@pytest.fixture(scope="module")
def finished(taught_draft: Draft) -> Finished:
    return taught_draft.finished("Club")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_the_latest_table_is_played_on_until_another_is_chosen(store: Store, finished: Finished) -> None:
    assert store.tables == ()
    assert store.current is None
    older = store.save(finished, EVENING)
    newer = store.save(finished, EVENING + timedelta(hours=1))
    assert store.tables == (newer, older)
    assert store.current == newer
    for chosen in (older, newer):
        store.choose(chosen)
        assert store.current == chosen


def test_two_tables_saved_in_one_second_are_two(store: Store, finished: Finished) -> None:
    paths = {store.save(finished, EVENING).path for _ in range(3)}
    assert {path.name for path in paths} == {
        "club-20261121-193000", "club-20261121-193000-2", "club-20261121-193000-3",
    }  # fmt: skip


def test_a_table_that_cannot_be_written_leaves_nothing_behind(
    store: Store, tmp_path: Path, finished: Finished, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", Mock(side_effect=OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space left"):
        store.save(finished, EVENING)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_table_is_left_out(store: Store, tmp_path: Path, finished: Finished) -> None:
    saved = store.save(finished, EVENING)
    for name, content in (("a", "{"), ("b", "[]"), ("c", '{"saved": 5}'), ("d", '{"saved": "yesterday"}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "table.json").write_text(content)
    (tmp_path / "e").mkdir()
    (tmp_path / "chosen").write_text("gone-20200101-000000\n")
    assert store.tables == (saved,)
    assert store.current == saved
    with pytest.raises(BadInputError, match="there is no table"):
        store.table("../../etc")


def test_names_become_folders_of_plain_letters(store: Store, tmp_path: Path, finished: Finished) -> None:
    for name, folder in (("../../x", "x"), ("Küche <b>", "k-che-b"), ("…", "table"), ("a" * 200, "a" * 60)):
        assert store.save(replace(finished, name=name), EVENING).path.parent == tmp_path
        assert (tmp_path / f"{folder}-20261121-193000").is_dir()


def test_a_calibrated_lens_stays_with_its_table(store: Store, drawn: Drawn, finished: Finished) -> None:
    width, height = drawn.folder.setup.size_px
    lens = CalibratedLens(width, height, 1400.0, 1401.0, 820.0, 616.0, k1=-0.05)
    table = replace(drawn.folder, setup=replace(drawn.folder.setup, lens=lens))
    saved = store.save(replace(finished, more=lens_of(table)), EVENING)
    assert TableFolder.open(saved.path).setup.lens == lens
    assert lens_of(drawn.folder) == {}
