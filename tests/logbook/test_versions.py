"""Logbooks of every version so far: today's code opens them, plays on in them, exports them and brings them back.

`fixtures/version-1.sqlite.gz` was written by the first code of that version (commit a24dc20): a game of Nick Danger's
to its end, with 34 rulings, and the beginning of a standard one, with 10. Whoever adds a migration adds the file that
the code before it writes; such a file is never made again.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bench.made_up import People
from companion.board import BadInputError
from companion.events import MoveRefused
from companion.logbook import Logbook, schema
from companion.logbook.archive import opened_archive
from companion.logbook.opening import FILE, FORMER
from companion.logbook.restoring import restore
from companion.logbook.rows import Rows
from companion.logbook.schema import VERSION, must_be_sound
from companion.plain import Forms
from companion.records.record import referee
from companion.session import Session
from tests.logbook.playing import FIXTURES, Play, asked, change, resumed, state_of, strada, unpacked

VERSIONS = range(1, VERSION + 1)


def version_of(folder: Path) -> int:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        must_be_sound(connection)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return int(version)


def test_every_version_has_its_file() -> None:
    assert sorted(path.name for path in FIXTURES.iterdir()) == [f"version-{number}.sqlite.gz" for number in VERSIONS]


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_its_game_goes_on_where_it_was_and_can_be_played_on(version: int, tmp_path: Path) -> None:
    folder = unpacked(version, tmp_path)
    assert version_of(folder) == version
    with Logbook(folder, "kitchen") as logbook:
        assert (logbook.note, logbook.trouble) == (None, None)
        found = logbook.resume()
        assert found is not None
        assert found.state.game is not None
        assert found.state.game.rules == "standard"
        assert len(found.events) > 10
        play = Play(People(4, rules=("standard",)), Session(state=found.state))
        play.on(logbook, 6)
        assert logbook.trouble is None
    assert version_of(folder) == VERSION
    assert resumed(folder) == play.session.state


@pytest.mark.parametrize("version", VERSIONS)
def test_its_games_are_listed_and_given_out_and_the_referee_agrees(version: int, tmp_path: Path) -> None:
    folder = unpacked(version, tmp_path)
    Logbook(folder).close()
    with opened_archive(folder) as archive:
        rulings = [(game.outcome, len(archive.rulings(game.number))) for game in archive.games()]
    assert rulings == [("over", 34), ("playing", 10)]
    exported = strada("export", "1", "--data", folder).output
    assert referee(exported)["over"]
    assert len(json.loads(exported)["moves"]) > 10


@pytest.mark.parametrize(("code", "is_disturbed"), [("tile-removed", True), ("tile-terrain", False)])
def test_a_refusal_that_does_not_say_whether_earlier_pieces_lie_otherwise_says_it_by_its_reasons(
    code: str, is_disturbed: bool, tmp_path: Path
) -> None:
    folder = unpacked(1, tmp_path)
    with closing(sqlite3.connect(folder / FILE)) as connection:
        (text,) = connection.execute("SELECT event FROM events WHERE kind = 'MoveRefused' LIMIT 1").fetchone()
        event = json.loads(text)
        assert "is_disturbed" not in event
        event["reasons"] = [{**event["reasons"][0], "code": code}]
        refused = Forms(read_position=Rows(connection).position).read(MoveRefused, event)
    assert refused.is_disturbed is is_disturbed


@pytest.mark.parametrize("version", VERSIONS)
def test_a_copy_of_it_is_brought_back(version: int, tmp_path: Path) -> None:
    copy = unpacked(version, tmp_path / "old") / FILE
    assert restore(tmp_path / "new", copy).games == 2
    assert version_of(tmp_path / "new") == VERSION


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A logbook of today's version, with a made-up next version of the program: a new column and a new index."""
    folder = unpacked(VERSION, tmp_path / "older")
    migration = "ALTER TABLE games ADD COLUMN weather TEXT; CREATE INDEX games_by_weather ON games (weather);"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, migration))
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    return folder


def weathers(folder: Path) -> list[str | None]:
    return [None if weather is None else str(weather) for (weather,) in asked(folder, "SELECT weather FROM games")]


def test_a_next_version_goes_on_in_the_older_file(older: Path) -> None:
    for _ in range(2):
        resumed(older)
        assert (version_of(older), weathers(older)) == (VERSION + 1, [None, None])


def test_before_a_next_version_changes_the_file_it_is_copied_for_the_older_program(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Logbook(older).close()
    with Logbook(older) as logbook:  # once is enough: the file is now of the next version
        play = Play(People(4, rules=("standard",)), Session(state=state_of(logbook)))
        play.on(logbook, 2)
    assert not (older / f"{FORMER}.new").exists()
    monkeypatch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:VERSION])
    monkeypatch.setattr(schema, "VERSION", VERSION)
    with pytest.raises(BadInputError, match=f"{FORMER} is as it was before, and strada restore brings it back"):
        Logbook(older)
    assert restore(older, older / FORMER).games == 2
    assert version_of(older) == VERSION
    resumed(older)


def test_a_file_that_cannot_be_copied_first_is_not_changed(older: Path) -> None:
    (older / f"{FORMER}.new").mkdir()  # so that nothing can be written there
    with Logbook(older) as logbook:
        assert logbook.trouble is not None
    assert version_of(older) == VERSION


def test_a_next_version_reads_the_older_file_and_leaves_it_as_it_is(older: Path) -> None:
    before = (older / FILE).read_bytes()
    with opened_archive(older) as archive:
        assert [len(archive.rulings(game.number)) for game in archive.games()] == [34, 10]
    for command in (["games"], ["statistics"], ["export", "1"]):
        assert strada(*command, "--data", older).exit_code == 0
    assert (older / FILE).read_bytes() == before
    assert version_of(older) == VERSION


def test_a_next_version_salvages_what_is_damaged_of_the_older_file(older: Path) -> None:
    change(older, "DROP TABLE states")
    with Logbook(older) as logbook:
        assert logbook.note is not None
        assert logbook.note.code.startswith("salvaged")
        assert state_of(logbook).position is not None
    assert (version_of(older), weathers(older)) == (VERSION + 1, [None, None])


def test_a_next_version_brings_back_a_copy_of_the_older_file(older: Path, tmp_path: Path) -> None:
    assert restore(tmp_path / "new", older / FILE).games == 2
    assert (version_of(tmp_path / "new"), weathers(tmp_path / "new")) == (VERSION + 1, [None, None])


def test_the_older_program_leaves_what_the_next_version_wrote_as_it_is(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Logbook(older).close()
    before = (older / FILE).read_bytes()
    monkeypatch.setattr(schema, "VERSION", VERSION)
    with pytest.raises(BadInputError, match=rf"newer version of Strada \(form {VERSION + 1}; this one writes"):
        Logbook(older)
    assert (older / FILE).read_bytes() == before
