"""How gold and days have gone so far, turn by turn."""

from dataclasses import replace

from bench.made_up import People
from companion.events import Outlook
from companion.games import score
from companion.games.contract import Position
from companion.scoreboard import Course, Stand
from companion.session import Session
from tests.session.tabletop import BLACK, RED
from tests.web.playing import game


def played(presses: int = 15) -> list[Position]:
    """Return the positions of a game from its deal on."""
    session = Session()
    for reading, command in People(8, rules=("standard",)).presses(session, presses):
        session.see(reading)
        session.obey(command)
    return [each for each in (*session.history, session.position) if each is not None]


def test_it_begins_before_the_first_turn_and_has_a_stand_after_each() -> None:
    positions = played()
    turns = [each for each in positions if each.phase != "workshop"]
    course = Course().along(positions)
    assert len(course) == len(turns) > 3
    assert course[0].player is None
    assert [each.player for each in course[1:]] == [each.next for each in turns[:-1]]
    assert course[-1].gold == score(turns[-1]).gold
    assert course[-1].days == turns[-1].days


def test_what_was_taken_back_is_no_longer_in_it_and_what_stays_is_scored_once() -> None:
    positions, course = played(), Course()
    whole, shorter = course.along(positions), course.along(positions[:-1])
    assert shorter == whole[:-1]
    assert all(one is other for one, other in zip(shorter, whole, strict=False))


def test_another_game_has_a_course_of_its_own() -> None:
    course = Course()
    for positions in (played(15), played(45)):
        assert course.along(positions) == Course().along(positions)


def test_it_is_between_turns_until_something_lies_there_for_the_next_one() -> None:
    stands = (Stand(None, {BLACK: 0, RED: 0}, {}), Stand(BLACK, {BLACK: 3, RED: 0}, {}))
    shown = replace(game(), course=stands, outlook=Outlook.UNCHANGED, laid={})
    assert shown.is_between_turns
    assert not replace(shown, laid=game().laid).is_between_turns
    assert not replace(shown, outlook=Outlook.UNFINISHED).is_between_turns
    assert not replace(shown, course=stands[:1]).is_between_turns
    assert not replace(shown, phase="over").is_between_turns
