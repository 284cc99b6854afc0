"""What is said about people beside the games: names that change, names that are one person, and what people chose."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from companion.cli.diagnose import known_names
from companion.doctor import Machine
from companion.events import GameDealt
from companion.logbook import Logbook
from companion.logbook.archive import opened_archive
from companion.logbook.opening import FILE
from companion.logbook.people import Note, PersonChose, PersonRenamed, RenameUndone
from companion.logbook.statistics import rivals_of, statistics_of
from companion.records.giving import events_of, record_of
from companion.settings import Settings
from tests.logbook.playing import asked, change, listed
from tests.web.books import Play, played, story


def note(folder: Path, *notes: Note) -> None:
    with Logbook(folder) as logbook:
        for each in notes:
            logbook.note_of_people(each, "Kim")


def names(folder: Path) -> list[list[str]]:
    return [[seat.name for seat in game.seats] for game in listed(folder)]


def choices(folder: Path) -> Mapping[str, PersonChose]:
    with opened_archive(folder) as archive:
        return archive.people.choices


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Bea has played Rob, and then Beatrix has: the same person, who gave more of her name."""
    played(tmp_path, "built", "ended", names=("Bea", "Rob"))
    return played(tmp_path, "built", "ended", names=("Beatrix", "Rob"))


JOINED = PersonRenamed("Bea", "Beatrix", 2)


def last_note(folder: Path) -> int:
    with opened_archive(folder) as archive:
        return archive.people.newest


def test_a_new_name_holds_in_every_game_and_its_story(folder: Path) -> None:
    note(folder, JOINED)
    assert names(folder) == [["Beatrix", "Rob"], ["Beatrix", "Rob"]]
    told = story(folder)
    assert told.is_whole
    assert {step.position.players[0].name for step in told.steps} == {"Beatrix"}
    dealt = told.steps[0].event
    assert isinstance(dealt, GameDealt)
    assert dealt.game.players[0].name == "Beatrix"


def test_records_exports_and_statistics_say_the_new_name(folder: Path) -> None:
    change(folder, "UPDATE games SET outcome = 'over'")  # as if both were played to their ends
    note(folder, JOINED)
    with opened_archive(folder) as archive:
        games = archive.games()
        assert json.loads(record_of(archive, games[0]))["players"][0]["name"] == "Beatrix"
        assert '"Bea"' not in "".join(events_of(archive, games[0]))
        assert statistics_of(games).players["Beatrix"].games == 2
        (rivals,) = rivals_of(games)
        assert set(rivals.names) == {"Beatrix", "Rob"}
        assert rivals.ahead["Beatrix", "Rob"] + rivals.ahead["Rob", "Beatrix"] + rivals.level["Rob", "Beatrix"] == 2


def test_nothing_that_happened_is_rewritten_and_taking_it_back_restores_everything(folder: Path) -> None:
    rows = "SELECT * FROM events WHERE game NOT NULL", "SELECT * FROM seats", "SELECT * FROM games"
    before = [asked(folder, query) for query in rows]
    note(folder, JOINED)
    note(folder, RenameUndone(last_note(folder)))
    assert [asked(folder, query) for query in rows] == before
    assert names(folder) == [["Bea", "Rob"], ["Beatrix", "Rob"]]
    with opened_archive(folder) as archive:
        assert archive.people.renames == ()


def test_somebody_else_may_come_by_the_old_name_later(folder: Path) -> None:
    note(folder, JOINED)
    played(folder, "built", "ended", names=("Bea", "Beatrix"))
    assert names(folder)[2] == ["Bea", "Beatrix"]
    with opened_archive(folder) as archive:
        assert archive.clash(PersonRenamed("Bea", "Beatrix", 3)) == 3, "they have played against each other"


def test_two_who_played_against_each_other_are_two_people(folder: Path) -> None:
    with opened_archive(folder) as archive:
        assert archive.clash(PersonRenamed("Rob", "Bea", 2)) == 1
        assert archive.clash(JOINED) is None


def test_names_are_changed_one_after_another_and_may_be_swapped(folder: Path) -> None:
    note(folder, PersonRenamed("Bea", "X", 2), PersonRenamed("Rob", "Bea", 2), PersonRenamed("X", "Rob", 2))
    assert names(folder)[0] == ["Rob", "Bea"]
    with opened_archive(folder) as archive:
        assert archive.people.names == frozenset({"Bea", "Rob", "X"})


def test_the_game_that_was_at_the_table_gets_its_old_name_back(folder: Path) -> None:
    """Its own row has been given the new name, so the archive puts the old one over it."""
    note(folder, PersonRenamed("Beatrice", "Beatrix", 2, at_table=2))
    note(folder, RenameUndone(last_note(folder), back_in=2))
    assert names(folder) == [["Bea", "Rob"], ["Beatrice", "Rob"]]


def test_what_somebody_chose_goes_with_their_name_and_stays_with_whoever_was_there(folder: Path) -> None:
    note(folder, PersonChose("Bea", "lark", "de"), PersonRenamed("Bea", "Ida", 2))
    assert choices(folder) == {"Ida": PersonChose("Ida", "lark", "de")}
    note(folder, RenameUndone(last_note(folder)))
    assert choices(folder) == {"Bea": PersonChose("Bea", "lark", "de")}
    note(folder, PersonChose("Beatrix", "bells"), JOINED)
    assert choices(folder) == {"Beatrix": PersonChose("Beatrix", "bells")}


def test_a_note_that_is_damaged_changes_nobodys_name(folder: Path) -> None:
    note(folder, JOINED)
    change(folder, "UPDATE events SET event = replace(event, 'Beatrix', 'Mallory') WHERE kind = 'PersonRenamed'")
    assert names(folder) == [["Bea", "Rob"], ["Beatrix", "Rob"]]


def test_notes_are_salvaged_with_the_rest(folder: Path) -> None:
    note(folder, JOINED)
    with (folder / FILE).open("r+b") as file:
        file.write(b"\0" * 100)  # the header, and the table that lists the tables
    with Logbook(folder) as logbook:
        assert logbook.note is not None
    assert names(folder) == [["Beatrix", "Rob"], ["Beatrix", "Rob"]]


def test_a_game_goes_on_after_a_note_and_a_restart(folder: Path) -> None:
    played(folder, "built", names=("Bea", "Rob"))
    note(folder, JOINED)
    with Logbook(folder) as again:
        resumed = again.resume()
        assert again.note is None
        assert resumed is not None
        assert resumed.state.game is not None
        named = [player.name for player in resumed.state.game.players]
        assert named == ["Bea", "Rob"], "it began after the games that the note is about"
        assert resumed.events


def test_a_report_takes_every_name_out_that_anybody_ever_had(folder: Path) -> None:
    note(folder, PersonRenamed("Rob", "Roberto", 2), PersonChose("Somebody"))
    people, are_all = known_names(Settings(), folder, Machine())
    assert {"Rob", "Roberto", "Somebody", "Kim"} <= people
    assert are_all


def test_a_note_is_refused_while_nothing_can_be_written(folder: Path) -> None:
    with Logbook(folder) as logbook:
        (folder / FILE).rename(folder / "elsewhere")
        with pytest.raises(Exception, match="cannot be written just now"):
            logbook.note_of_people(JOINED)
        (folder / "elsewhere").rename(folder / FILE)


def test_whoever_is_in_no_game_any_more_is_in_no_note_either_and_the_table_goes_on(folder: Path) -> None:
    play = Play(folder)
    play.begin(("Bea", "Rob"))
    play.logbook.note_of_people(PersonChose("Beatrix", "lark"), "Kim")
    play.logbook.note_of_people(PersonRenamed("Beatrix", "Trixi", 2), "Kim")
    play.logbook.note_of_people(PersonRenamed("Rob", "Roberto", 2), "Kim")
    play.built()
    play.logbook.forget(2)
    state = play.session.state
    play.closed()
    assert not [path for path in folder.glob("logbook.sqlite*") if b"Trixi" in path.read_bytes()]
    with Logbook(folder) as again:
        resumed = again.resume()
        assert resumed is not None
        assert (again.note, resumed.state) == (None, state)
        assert resumed.events, "no event of the game is missing"
    assert names(folder) == [["Bea", "Roberto"], ["Bea", "Rob"]]
    assert choices(folder) == {}
