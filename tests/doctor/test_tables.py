"""The table in use is learnt again and asked what it would confuse; people read what to do about it."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.cli.doctor import sentences
from companion.doctor import Finding, Grade
from companion.doctor.devices import TableTest, table
from companion.settings import LogbookSettings, Settings, TableSettings
from companion.setup.table_setup import TABLES
from companion.wiring.cameras import table_test
from companion.words import LANGUAGES
from companion.words.doctor import DoctorVoice
from simulator import Setup, write_square_table

FOREST_ROAD = "yellow forest straight 0-3"
POOR = TableTest(
    "club",
    alike=(("town", "city"), (FOREST_ROAD, "forest")),
    missing=("hamlet",),
    under_cubes=("red workshop",),
    photograph=(("town", 2), ("city", 2), (FOREST_ROAD, 2), ("hamlet", 1)),
)


def found(tested: TableTest | None) -> Finding:
    return table("usb", lambda: tested)


def test_a_drawn_table_and_a_game_kept_by_hand_need_no_table() -> None:
    assert table("virtual", lambda: pytest.fail("learnt")).code == "table-drawn"
    assert table("none", lambda: pytest.fail("learnt")).code == "table-by-hand"


def test_what_is_confused_is_said_first_and_what_to_photograph() -> None:
    finding = found(POOR)
    assert (finding.grade, finding.code) == (Grade.TODO, "table-alike")
    said, advice = sentences(finding, DoctorVoice())
    assert said == "club: hard to tell apart: town and city · road of Yellow, forest →← and empty cell, forest."
    assert "2 × town · 2 × city · 2 × road of Yellow, forest →← · 1 × hamlet." in advice


def test_what_was_not_taught_is_to_be_done_and_what_stood_under_merchants_is_worth_knowing() -> None:
    missing = found(TableTest("club", missing=("hamlet",), under_cubes=("city",), photograph=(("hamlet", 1),)))
    assert (missing.grade, missing.code) == (Grade.TODO, "table-missing")
    under = found(TableTest("club", under_cubes=("city", FOREST_ROAD), photograph=(("city", 1), (FOREST_ROAD, 1))))
    assert (under.grade, under.code) == (Grade.NOTE, "table-under-cubes")
    assert found(TableTest("club")) == Finding(Grade.OK, "table", {"folder": "club"})


def test_a_lamp_that_was_mirrored_at_the_set_up_is_said_before_what_it_may_have_mixed_up() -> None:
    finding = found(replace(POOR, veiled=("G7", "G8")))
    assert (finding.grade, finding.code) == (Grade.TODO, "table-veiled")
    said, advice = sentences(finding, DoctorVoice())
    assert said == "club: a lamp or a window was reflected in the board at the set-up: G7, G8."
    assert advice == "Move the lamp or shade the window, then set the table up again."


def test_no_table_and_one_that_cannot_be_learnt_say_what_to_do() -> None:
    def unfit() -> TableTest:
        raise BadInputError("club/setup/teach.jpg is missing")

    assert found(None).code == "table-none"
    finding = table("usb", unfit)
    assert (finding.grade, finding.code) == (Grade.TODO, "table-unfit")
    assert "teach.jpg" in sentences(finding, DoctorVoice())[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_tiles_are_named_in_each_language(language: str) -> None:
    said, advice = sentences(found(POOR), DoctorVoice(language=language))
    names = {"en": "town", "de": "Wehrdorf", "fr": "village fortifié", "it": "cittadina"}
    assert names[language] in said
    assert f"2 × {names[language]}" in advice
    assert "→←" in advice
    assert "{" not in said + advice


def test_of_many_tiles_the_first_are_named() -> None:
    faces = [f"{terrain} {face}" for terrain in ("plain", "forest", "hill") for face in ("straight 0-3", "bend 0-2")]
    missing = (*(f"red {face}" for face in faces), "city")
    said, _ = sentences(found(TableTest("club", missing=missing, photograph=(("city", 1),))), DoctorVoice())
    assert said.count("road of Red") == 6
    assert said.endswith("and more.")


@pytest.mark.long
def test_the_table_of_the_settings_is_asked(drawn_table: tuple[Path, Setup], tmp_path: Path) -> None:
    tested = table_test(Settings(table=TableSettings(str(drawn_table[0]))), None)
    assert tested is not None
    assert tested.folder == str(drawn_table[0])
    assert (tested.alike, tested.missing) == ((), ())
    assert tested.under_cubes
    assert [tile for tile, _ in tested.photograph] == list(tested.under_cubes)
    assert tested.veiled == ()
    assert found(tested).code == "table-under-cubes"


@pytest.mark.long
def test_else_the_table_that_was_chosen_last_is_asked(drawn_table: tuple[Path, Setup], tmp_path: Path) -> None:
    assert table_test(Settings(logbook=LogbookSettings(str(tmp_path))), tmp_path) is None
    shutil.copytree(drawn_table[0], tmp_path / TABLES / "club")
    tested = table_test(Settings(), tmp_path)
    assert tested is not None
    assert tested.folder == str(tmp_path / TABLES / "club")


@pytest.mark.long
def test_a_square_table_is_opened(tmp_path: Path) -> None:
    write_square_table(tmp_path / "silk", 3)
    tested = table_test(Settings(table=TableSettings(str(tmp_path / "silk"))), None)
    assert found(tested).code == "table-square"
