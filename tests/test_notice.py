from companion.board import BARE, CellChange, Change, Color, Contents, HexBoard, Road, Terrain
from companion.events import (
    CellCorrected,
    GameOver,
    Marker,
    MarkersDiffer,
    MoveHidden,
    MoveRefused,
    Outlook,
    Standing,
    StandingChanged,
    TurnTaken,
)
from companion.games import rule_set
from companion.games.contract import Ground, Player, Reason
from companion.scoreboard import notice_of
from companion.scoreboard.notice import MOST_MARKED

BOARD = HexBoard(6)
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
POSITION = rule_set("standard").start(Ground(BOARD, {}, {}), PLAYERS, {})
C4, F5 = BOARD.cell("C4"), BOARD.cell("F5")
LAID = Change({C4: CellChange(BARE, Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 3))))})
TAKEN = TurnTaken(Color.BLACK, LAID, 2, 4, POSITION)
REFUSED = MoveRefused(Color.RED, (Reason("dead-end", (F5,)),), Change({}), POSITION)


def test_a_legal_turn_marks_what_was_laid() -> None:
    notice = notice_of([TAKEN], PLAYERS)
    assert notice is not None
    assert (notice.kind, notice.cells) == ("legal", {C4})
    assert "Ada" in notice.title


def test_the_later_of_two_verdicts_leads_and_the_earlier_is_told() -> None:
    notice = notice_of([TAKEN, REFUSED], PLAYERS)
    assert notice is not None
    assert (notice.kind, notice.cells) == ("illegal", {F5})
    assert "Ada" in notice.sentences[0]
    assert any("F5" in sentence for sentence in notice.sentences)


def test_markers_are_pointed_out_after_the_verdict_or_by_themselves() -> None:
    differ = MarkersDiffer({Color.RED: Marker(3, 5)})
    after = notice_of([TAKEN, differ], PLAYERS)
    alone = notice_of([differ], PLAYERS)
    assert after is not None
    assert alone is not None
    assert "stands on 3" in after.sentences[-1]
    assert after.kind == "legal"
    assert "stands on 3" in alone.title


def test_corrections_give_way_to_a_verdict() -> None:
    corrected = CellCorrected(C4, BARE)
    with_verdict = notice_of([REFUSED, corrected], PLAYERS)
    alone = notice_of([corrected, CellCorrected(F5, BARE)], PLAYERS)
    assert with_verdict is not None
    assert alone is not None
    assert with_verdict.kind == "illegal"
    assert (alone.kind, alone.title, alone.cells) == ("corrected", "Put right: C4, F5", {C4, F5})


def test_the_end_names_the_winner() -> None:
    notice = notice_of([TAKEN, GameOver((Color.BLACK,), POSITION)], PLAYERS)
    assert notice is not None
    assert notice.kind == "end"
    assert any("Ada wins" in sentence for sentence in notice.sentences)


def test_a_sleeve_over_half_the_board_marks_nothing() -> None:
    notice = notice_of([MoveHidden(Color.RED, BOARD.cells[: MOST_MARKED + 1])], PLAYERS)
    assert notice is not None
    assert (notice.kind, notice.cells) == ("ask", frozenset())


def test_what_lies_there_before_the_button_is_no_notice() -> None:
    assert notice_of([StandingChanged(Standing(Outlook.LEGAL))], PLAYERS) is None
