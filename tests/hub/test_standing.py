"""A table's standing, as the table itself reports it: its board, and why somebody should come and look."""

import json
from dataclasses import replace

import pytest

from bench.made_up import People
from companion.events import Outlook
from companion.outbox.letters import CAMERA, DISPUTE, UNCLEAR, attention, standing
from companion.scoreboard import Notice, Snapshot
from companion.scoreboard.snapshot import Eye, Lamps
from companion.session import Session
from hub.messages import Journal, state
from hub.room import Standing
from hub.store.tables import Digest, Enrolled
from hub.web.showing import done, shown
from tests.web.playing import game

TABLE = Enrolled(1, "x", "Club", "", True, False, 1, 0, Digest("", "", 1))


@pytest.fixture
def snapshot() -> Snapshot:
    """A game in which it is somebody's turn, and all is well."""
    found = replace(game(), notice=None, outlook=Outlook.UNCHANGED, eye=Eye())
    assert found.phase == "turn"
    return found


def test_while_all_goes_well_or_a_hand_is_in_the_way_nobody_is_called(snapshot: Snapshot) -> None:
    assert attention(snapshot) == []
    assert attention(replace(snapshot, notice=Notice("legal", "That was legal"))) == []
    asked = Notice("ask", "A hand is in the way")
    assert attention(replace(snapshot, notice=asked, outlook=Outlook.HIDDEN)) == []


def test_a_refused_move_an_unclear_cell_and_a_lost_camera_call_the_referee(snapshot: Snapshot) -> None:
    refused, asked = Notice("illegal", "No"), Notice("ask", "What is on G7?")
    assert attention(replace(snapshot, notice=refused)) == [DISPUTE]
    assert attention(replace(snapshot, notice=asked, outlook=Outlook.UNCLEAR)) == [UNCLEAR]
    assert attention(replace(snapshot, eye=Eye(trouble="The cable is out"))) == [CAMERA]
    assert attention(replace(snapshot, notice=refused, eye=Eye(trouble="The cable is out"))) == [CAMERA, DISPUTE]


def test_before_a_game_a_lost_camera_is_nobodys_business() -> None:
    assert attention(Snapshot(eye=Eye(trouble="The cable is out"))) == []


def test_a_verdict_is_told_with_a_number_and_other_notices_are_not(snapshot: Snapshot) -> None:
    lit = replace(snapshot, lamps=Lamps(cues=7), notice=Notice("illegal", "No"))
    assert json.loads(standing(lit, "Club"))["verdict"] == {"kind": "illegal", "number": 7}
    assert "verdict" not in json.loads(standing(replace(lit, notice=Notice("corrected", "G7")), "Club"))


def test_a_table_without_a_game_says_so_and_is_shown_so() -> None:
    told = state(standing(Snapshot(), "Club"))
    assert told == {"name": "Club", "phase": "waiting", "attention": [], "lamp": "no-game"}
    table = shown(Standing(TABLE, told, is_here=True))
    assert (table.snapshot.phase, table.done) == ("waiting", None)


def test_the_same_table_says_the_same_bytes_and_the_hub_reads_them(snapshot: Snapshot) -> None:
    assert snapshot.position is None or standing(snapshot, "Club") == standing(replace(snapshot, number=99), "Club")
    assert json.loads(standing(snapshot, "Club"))["name"] == "Club"


@pytest.mark.long
def test_how_far_a_game_is_goes_from_nothing_to_the_end() -> None:
    for rules in ("standard", "two-player", "danger"):
        session, seen = Session(), []
        for reading, command in People(3, rules=(rules,), mischief=0.0).presses(session, 200):
            session.see(reading)
            session.obey(command)
            if session.position is not None:
                seen.append(done(session.position))
                if session.position.over:
                    break
        assert seen[0] == 0.0
        assert seen[-1] == 1.0
        assert all(0.0 <= each <= 1.0 for each in seen)
        assert seen == sorted(seen), rules


def test_the_journal_says_each_thing_once_and_nothing_unprintable(caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal()
    said = [journal.once(who, "refused") for who in ("a\x1b[31m", "a\x1b[31m", "b")]
    assert said == [True, False, True]
    journal.over("b", "all is well")
    journal.over("b", "all is well")
    assert journal.once("b", "refused")
    assert caplog.messages == ["a?[31m: refused", "b: refused", "b: all is well", "b: refused"]
