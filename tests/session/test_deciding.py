"""What a person decides after an evening's photograph is done at once, and what was asked about is judged again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from companion.board import BARE, Contents, HexCell, Merchants, Workshop
from companion.commands import Accept, Command, CorrectCell, Done, Undo
from companion.evening import Button, Line, Photo, decide, see_photo
from companion.session import Session
from tests.session.conftest import GOAL
from tests.session.tabletop import BLACK, GAME, HAMLET, RED, SITES, Tabletop, at, black_builds


@dataclass
class Photographed:
    """A table that is photographed, and the evening's session."""

    table: Tabletop = field(default_factory=Tabletop)
    session: Session = field(default_factory=Session)
    judged: Line | None = None

    def photo(self, button: Button, **seen: Any) -> tuple[str, str]:
        self.judged = see_photo(self.session, GAME, Photo("000.jpg", button), self.table.seen(**seen))
        return self.judged.word.kind, self.judged.word.verdict

    def say(self, command: Command) -> tuple[str, str]:
        assert self.judged is not None
        line = decide(self.session, GAME, self.judged, command)
        assert line.photo == self.judged.photo
        assert line.position == self.session.position
        if line.word.kind != "none":
            self.judged = line
        return line.word.kind, line.word.verdict


@pytest.fixture
def evening() -> Photographed:
    """Both workshops are placed, and Black has built but not said done yet."""
    made = Photographed()
    assert made.photo(Button.DEAL) == ("deal", "legal")
    for color, cell in ((BLACK, at(1)), (RED, at(-2))):
        made.table.lay(cell, Workshop(color))
        assert made.photo(Button.DONE) == ("workshop", "legal")
    black_builds(made.table)
    return made


def doubts(evening: Photographed, *cells: HexCell) -> Mapping[HexCell, Sequence[Contents]]:
    """Return these cells, on each of which the reader sees nothing first, then what lies there."""
    return {cell: (BARE, evening.table.lies[cell]) for cell in cells}


def test_the_answer_to_a_question_gives_the_verdict(evening: Photographed) -> None:
    assert evening.photo(Button.DONE, doubted=doubts(evening, GOAL)) == ("turn", "unclear")
    assert evening.say(CorrectCell(GOAL, evening.table.lies[GOAL])) == ("turn", "legal")
    assert evening.session.state.unsettled == 0


def test_with_two_cells_asked_about_the_last_answer_gives_it(evening: Photographed) -> None:
    assert evening.photo(Button.DONE, doubted=doubts(evening, at(2), GOAL)) == ("turn", "unclear")
    assert evening.say(CorrectCell(at(2), evening.table.lies[at(2)])) == ("none", "none")
    assert evening.session.state.unsettled == 1
    assert evening.say(CorrectCell(GOAL, evening.table.lies[GOAL])) == ("turn", "legal")


def test_a_cell_put_right_has_a_refused_move_judged_anew(evening: Photographed) -> None:
    truth = evening.table.lies[GOAL]
    evening.table.lay(GOAL, None)  # the reader sees a bare cell with a merchant
    assert evening.photo(Button.DONE) == ("turn", "illegal")
    assert evening.say(CorrectCell(GOAL, truth)) == ("turn", "legal")


def test_what_is_covered_is_said_and_the_move_judged_anew(evening: Photographed) -> None:
    assert evening.photo(Button.DONE, covered=[GOAL]) == ("turn", "hidden")
    assert evening.say(CorrectCell(GOAL, evening.table.lies[GOAL])) == ("turn", "legal")


def test_a_refused_move_can_be_let_stand_and_then_no_correction_judges_it(evening: Photographed) -> None:
    evening.table.put(GOAL, BLACK)
    assert evening.photo(Button.DONE) == ("turn", "illegal")
    assert evening.say(Accept()) == ("turn", "accepted")
    assert evening.say(CorrectCell(at(5), BARE)) == ("none", "none")


def test_after_a_legal_move_a_correction_says_nothing_of_its_own(evening: Photographed) -> None:
    assert evening.photo(Button.DONE) == ("turn", "legal")
    before = evening.session.position
    assert evening.say(CorrectCell(at(5), Contents(None, Merchants(red=1)))) == ("none", "none")
    assert evening.session.position == before


def test_a_move_taken_back_and_put_right_is_judged_once_done_is_said(evening: Photographed) -> None:
    assert evening.photo(Button.DONE) == ("turn", "legal")
    assert evening.say(Undo()) == ("none", "none")
    assert evening.say(CorrectCell(at(5), BARE)) == ("none", "none")
    assert evening.say(Done(confirmed=False)) == ("turn", "legal")


def test_on_a_look_a_correction_judges_nothing(evening: Photographed) -> None:
    evening.table.put(GOAL, BLACK)
    assert evening.photo(Button.DONE) == ("turn", "illegal")
    assert evening.photo(Button.LOOK) == ("none", "none")
    assert evening.say(CorrectCell(at(5), BARE)) == ("none", "none")


def test_a_deal_is_dealt_once_the_last_cell_that_it_hangs_on_is_put_right() -> None:
    """Of the three cells only two are asked about: the settlement that is left over must be on the third."""
    evening = Photographed()
    city, town, village = SITES[0], SITES[4], SITES[9]
    truth = evening.table.lies
    doubted = dict.fromkeys((city, town, village), (Contents(HAMLET),))
    assert evening.photo(Button.DEAL, doubted=doubted) == ("deal", "unclear")
    assert evening.say(CorrectCell(city, truth[city])) == ("deal", "unclear")
    assert evening.say(CorrectCell(town, truth[town])) == ("deal", "legal")
    assert evening.session.state.now.expected()[village] == truth[village]
    assert evening.say(CorrectCell(at(5), BARE)) == ("none", "none")  # nothing is dealt again


def test_a_deal_that_was_wrong_on_the_photograph_begins_at_the_first_done_once_it_is_put_right() -> None:
    evening = Photographed()
    city = evening.table.lies[SITES[0]]
    evening.table.lay(SITES[0], None)
    assert evening.photo(Button.DEAL) == ("deal", "illegal")
    assert evening.photo(Button.DONE) == ("none", "none")
    assert evening.say(CorrectCell(SITES[0], city)) != ("none", "none")
    assert evening.session.position is not None
