from dataclasses import replace

import pytest

from companion import events
from companion.board import BARE, CellChange, Change, Color, Contents, DealRemarks, Merchants, Road, Terrain
from companion.commands import StartGame
from companion.games.contract import Reason
from companion.scoreboard import Notice, notice_of
from companion.scoreboard.interpreter import MOST_MARKED
from tests.scoreboard.test_choices import BOARD, C4, F5, PLAYERS, POSITION

LAID = Change({C4: CellChange(BARE, Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 3))))})
TAKEN = events.TurnTaken(Color.BLACK, LAID, 2, 4, POSITION)
REFUSED = events.MoveRefused(Color.RED, (Reason("dead-end", (F5,)),), Change({}), POSITION)


def said(*happened: events.Event) -> Notice:
    notice = notice_of(happened, PLAYERS)
    assert notice is not None
    return notice


def test_a_legal_turn_marks_what_was_laid() -> None:
    notice = said(TAKEN)
    assert (notice.kind, notice.cells) == ("legal", {C4})
    assert "Ada" in notice.title


def test_the_later_of_two_verdicts_leads_and_the_earlier_is_told() -> None:
    notice = said(TAKEN, REFUSED)
    assert (notice.kind, notice.cells) == ("illegal", {F5})
    assert "Ada" in notice.sentences[0]
    assert any("F5" in sentence for sentence in notice.sentences)


@pytest.mark.parametrize(
    ("remarks", "is_to_teach"),
    [
        (DealRemarks(poor=(F5,)), True),
        (DealRemarks(poor_tracks=(Color.RED,)), True),
        (DealRemarks(stops=-2.0, is_layout_new=True), False),
    ],
)
def test_a_deal_read_poorly_is_to_be_taught_again(remarks: DealRemarks, is_to_teach: bool) -> None:
    dealt = events.GameDealt(StartGame(PLAYERS), POSITION)
    for happened in ([dealt, events.DealRemarked(remarks)], [events.DealRemarked(remarks)]):
        assert said(*happened).is_to_teach is is_to_teach


def test_markers_are_pointed_out_after_the_verdict_or_by_themselves() -> None:
    differ = events.MarkersDiffer({Color.RED: events.Marker(3, 5)})
    after = said(TAKEN, differ)
    alone = said(differ)
    assert "is on 3" in after.sentences[-1]
    assert after.kind == "legal"
    assert "is on 3" in alone.title


def test_corrections_give_way_to_a_verdict() -> None:
    corrected = events.CellCorrected(C4, BARE)
    with_verdict = said(REFUSED, corrected)
    alone = said(corrected, events.CellCorrected(F5, BARE))
    assert with_verdict.kind == "illegal"
    assert (alone.kind, alone.title, alone.cells) == ("corrected", "Corrected: C4, F5", {C4, F5})


def test_the_end_names_the_winner() -> None:
    notice = said(TAKEN, events.GameOver((Color.BLACK,), POSITION))
    assert notice.kind == "end"
    assert any("Ada wins" in sentence for sentence in notice.sentences)
    assert notice.sentences[-2:] == ("Ada: 0 gold, 0 days left", "Bo: 0 gold, 0 days left")


def test_a_refusal_says_which_cell_would_make_it_right_after_its_reasons() -> None:
    suggested = replace(REFUSED, suggestions=(events.Suggestion(C4, Contents(None, Merchants(red=1))),))
    notice = said(suggested)
    assert notice.sentences[-1] == "If C4 has 1 merchant more, the move is legal"
    assert notice.cells == {F5}, "what was refused is marked, not what may have been misread"


def test_pieces_of_another_player_alone_are_said_to_be_theirs() -> None:
    assert said(replace(REFUSED, change=LAID)).title == "It is Bo’s turn, but these pieces are Ada’s"


def test_a_question_marks_the_cells_that_it_is_about() -> None:
    sequence = said(events.SequenceOffered((Color.BLACK, Color.RED), (LAID, Change({}))))
    rereading = said(events.RereadingOffered(F5, BARE, Contents(None, Merchants(red=1)), 2))
    assert (sequence.kind, sequence.cells) == ("ask", {C4})
    assert sequence.title == "Did somebody forget to say done: Ada, then Bo?"
    assert sequence.sentences == ("Bo builds nothing and saves their days",)
    assert (rereading.kind, rereading.cells) == ("ask", {F5})


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (events.GamePaused(), "ask"),
        (events.GameResumed(), "start"),
        (events.GameTakenUp(StartGame(PLAYERS), POSITION), "start"),
        (events.PressLapsed(Color.RED, (C4,)), "ask"),
        (events.PressCrossed(), "ask"),
        (events.CameraLost("check its cable"), "ask"),
        (events.CameraBack(), "ask"),
        (events.CameraTurned(is_upside_down=True), "ask"),
        (events.CellReread(C4, BARE, POSITION), "corrected"),
        (events.GameOver((Color.BLACK,), POSITION, early=True), "end"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_befalls_the_table_is_noticed(event: events.Event, kind: str) -> None:
    notice = said(event)
    assert notice.kind == kind
    assert notice.title


def test_a_sleeve_over_half_the_board_marks_nothing() -> None:
    notice = said(events.MoveHidden(Color.RED, BOARD.cells[: MOST_MARKED + 1]))
    assert (notice.kind, notice.cells) == ("ask", frozenset())


def test_what_lies_there_before_the_button_is_pressed_gives_no_notice() -> None:
    assert notice_of([events.StandingChanged(events.Standing(events.Outlook.LEGAL))], PLAYERS) is None
