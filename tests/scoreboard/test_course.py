"""How gold and days have gone so far, turn by turn."""

from dataclasses import replace

from bench.made_up import People
from companion.events import Outlook
from companion.games import score
from companion.scoreboard import Course, Stand
from companion.session import Session
from tests.session.tabletop import BLACK, RED
from tests.web.playing import game


def played(presses: int = 15) -> Session:
    session = Session()
    for reading, command in People(8, rules=("standard",)).presses(session, presses):
        session.see(reading)
        session.obey(command)
    return session


def test_it_begins_before_the_first_turn_and_has_a_stand_after_each() -> None:
    session = played()
    positions = (*session.history, session.position)
    turns = [each for each in positions if each is not None and each.phase != "workshop"]
    course = Course().along([each for each in positions if each is not None])
    assert len(course) == len(turns) > 3
    assert course[0].player is None
    assert [each.player for each in course[1:]] == [each.next for each in turns[:-1]]
    assert course[-1].gold == score(turns[-1]).gold
    assert course[-1].days == turns[-1].days


def test_what_was_taken_back_is_no_longer_in_it_and_what_stays_is_scored_once() -> None:
    session, course = played(), Course()
    positions = [*session.history, session.position]
    whole = course.along([each for each in positions if each is not None])
    shorter = course.along([each for each in positions[:-1] if each is not None])
    assert shorter == whole[:-1]
    assert all(one is other for one, other in zip(shorter, whole, strict=False))


def test_another_game_begins_anew() -> None:
    course = Course()
    for session in (played(15), played(45)):
        positions = [each for each in (*session.history, session.position) if each is not None]
        assert course.along(positions) == Course().along(positions)


def test_it_is_between_turns_until_something_lies_there_for_the_next_one() -> None:
    stands = (Stand(None, {BLACK: 0, RED: 0}, {}), Stand(BLACK, {BLACK: 3, RED: 0}, {}))
    shown = replace(game(), course=stands, outlook=Outlook.UNCHANGED, laid={})
    assert shown.is_between_turns
    assert not replace(shown, laid=game().laid).is_between_turns
    assert not replace(shown, outlook=Outlook.UNFINISHED).is_between_turns
    assert not replace(shown, course=stands[:1]).is_between_turns
    assert not replace(shown, phase="over").is_between_turns
