"""A game told step by step from its logbook."""

from pathlib import Path

import pytest

from bench.killed import Snap
from companion.board import BARE
from companion.commands import CorrectCell, Undo
from companion.games import score
from companion.games.la_strada import LaStradaPosition
from companion.logbook.archive import opened_archive, photo_of
from tests.session.tabletop import BLACK, at
from tests.web.books import Play, evening, pages, story, write


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """A game with the deal and both workshops."""
    play = Play(tmp_path)
    play.begin()
    return play


def test_the_steps_are_what_was_said_the_deal_first(play: Play) -> None:
    play.refused()
    play.built()
    told = story(play.closed())
    assert [step.kind for step in told.steps] == ["start", "legal", "legal", "illegal", "legal"]
    assert told.is_whole
    assert told.rulings == told.steps


def test_after_a_refusal_the_position_is_the_one_before_and_what_lay_there_is_told(play: Play) -> None:
    play.refused()
    *_, before, refused = story(play.closed()).steps
    assert refused.position == before.position
    assert list(refused.laid) == [at(2)]
    assert at(2) in refused.cells


def test_what_was_taken_back_is_marked_and_the_position_is_the_earlier_one(play: Play) -> None:
    play.built()
    play.press(Undo())
    *_, before, built, undone = story(play.closed()).steps
    assert (built.kind, built.is_undone, undone.kind, undone.is_ruling) == ("legal", True, "undone", False)
    assert isinstance(before.position, LaStradaPosition)
    assert undone.position.expected() == before.position.expected()


def test_what_people_put_right_is_told_with_who_did(play: Play, tmp_path: Path) -> None:
    play.press(CorrectCell(at(2), BARE), by="Ada (192.168.1.7)")
    *_, corrected = story(play.closed()).steps
    assert (corrected.kind, corrected.cells, corrected.who) == ("corrected", (at(2),), "Ada (192.168.1.7)")
    page = pages(tmp_path).test_client().get("/games/1").text
    assert "Corrected: G9" in page
    assert "Decided by Ada<" in page, "older logbooks hold addresses, which are nobody else's business"
    assert "192.168.1.7" not in page


def test_the_end_of_a_game_is_its_last_step(play: Play) -> None:
    play.built()
    play.ended()
    *_, last = story(play.closed()).steps
    assert last.kind == "over"
    assert score(last.position).winners == (BLACK,)


def test_each_step_has_the_picture_that_was_taken_of_it(tmp_path: Path) -> None:
    folder = evening(tmp_path, presses=12)
    with opened_archive(folder) as archive:
        photos = archive.photos(1)
        found = [photo_of(photos, step.number) for step in story(folder).steps]
    assert len({photo.number for photo in found if photo}) == len(photos)


def test_a_damaged_event_ends_the_story_and_says_so(play: Play) -> None:
    play.built()
    folder = play.closed()
    third = story(folder).steps[2]
    write(folder, "UPDATE events SET event = '{}' WHERE id = ?", third.number)
    told = story(folder)
    assert [step.kind for step in told.steps] == ["start", "legal"]
    assert not told.is_whole


def test_the_newest_games_come_first_and_a_page_of_them_at_a_time(tmp_path: Path) -> None:
    play = Play(tmp_path)
    for _ in range(5):
        play.begin()
    with opened_archive(play.closed()) as archive:
        assert archive.count() == 5
        assert [game.number for game in archive.newest(2)] == [5, 4]
        assert [game.number for game in archive.newest(2, skip=4)] == [1]
        assert archive.newest(5)[::-1] == archive.games()


def test_a_row_that_names_no_picture_of_ours_has_none(tmp_path: Path) -> None:
    play = Play(tmp_path / "book")
    play.begin()
    folder = play.closed()
    (tmp_path / "secret.jpg").write_bytes(Snap(play.table.seen()).image)
    write(folder, "UPDATE pictures SET file = '../../secret.jpg'")
    with opened_archive(folder) as archive:
        assert archive.photos(1) == ()
        assert archive.rulings(1)[0].after is None
