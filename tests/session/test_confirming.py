"""The reader is told what its last picture's moves were taken for and what people said about it, and nothing else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from companion.board import Cell, Contents, PlayerColor, Workshop
from companion.commands import Accept, CorrectCell, Undo
from companion.events import CellReread, Event, MoveUnclear
from companion.verdicts import confirm
from tests.session.conftest import Play, codes, reread
from tests.session.tabletop import BLACK, GAME, RED, SITES, at, black_builds, red_builds
from tests.session.test_histories import unsure

Told = list[tuple[dict[Cell, Contents], bool]]


@dataclass
class Listening:
    """What a reader is told."""

    told: Told = field(default_factory=list)
    books: Mapping[Cell, Contents] | None = None
    colors: Collection[PlayerColor] = ()

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        self.told.append((dict(cells), by_hand))

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        assert not self.told, "it learns from its doubts before these are settled"
        self.books, self.colors = books, colors


def told(events: tuple[Event, ...]) -> Told:
    reader = Listening()
    assert confirm(reader, events) is bool(reader.told)
    return reader.told


def test_after_a_deal_all_that_was_dealt_is_told() -> None:
    play = Play()
    assert told(play.press(GAME)) == [({cell: play.table.lies[cell] for cell in SITES}, False)]


def test_after_a_workshop_and_a_turn_what_was_laid_is_told() -> None:
    play = Play.dealt()
    play.table.lay(at(1), Workshop(BLACK))
    assert told(play.done()) == [({at(1): Contents(Workshop(BLACK))}, False)]
    play.table.lay(at(-2), Workshop(RED))
    play.done()
    black_builds(play.table)
    assert told(play.done()) == [({at(2): play.table.lies[at(2)], at(3): play.on_goal(black=1)}, False)]


def test_nothing_is_told_of_a_refused_move_until_it_is_let_stand(play: Play) -> None:
    play.table.road(BLACK, at(4))
    assert told(play.done()) == []
    assert told(play.session.obey(Accept())) == [({at(4): play.table.lies[at(4)]}, False)]


def test_people_who_say_that_an_earlier_tile_lies_as_it_did_are_taken_at_their_word(play: Play) -> None:
    play.table.road(BLACK, at(4))
    play.done()
    play.session.obey(Accept())
    road = play.table.lies.pop(at(4))
    play.done()
    assert told(play.session.obey(Accept())) == [({at(4): road}, True)]


def test_what_a_person_says_is_told_as_their_word_and_a_move_taken_back_is_not(play: Play) -> None:
    said = play.on_goal(red=1)
    assert told(play.session.obey(CorrectCell(at(3), said))) == [({at(3): said}, True)]
    play = Play.begun()
    play.turns(black_builds)
    assert told(play.session.obey(Undo(1))) == []


def test_a_rereading_is_nobodys_word_and_what_a_later_move_left_there_counts(play: Play) -> None:
    """Black's road ended at one of two settlements. Red's turn shows at which, and then Red comes to the other one."""
    unsure(play)
    play.goes_on()
    red_builds(play.table)
    events = play.done()
    ((cells, by_hand),) = told(events)
    assert not by_hand, "nobody said so"
    assert reread(events) | {at(-1), at(0)} == cells.keys()
    later = CellReread(at(0), play.table.lies[at(2)], play.position, 1)
    ((cells, _),) = told((later, *events))
    assert cells[at(0)] == play.table.lies[at(0)], "a turn that was taken after it has changed the cell"


def test_a_rereading_that_came_with_a_refusal_or_a_question_is_nobodys_word_either(play: Play) -> None:
    """It is about what lay there before the press, and that may have changed since."""
    unsure(play)
    play.goes_on()
    play.table.road(RED, at(-1))
    refused = play.done()
    assert reread(refused)
    assert codes(refused) == ["merchant-missing"]
    assert told(refused) == []
    play = Play.begun()
    unsure(play)
    play.goes_on()
    play.table.road(RED, at(-1))
    questioned = play.done(doubted={at(0): {play.on(at(0)): 0.98, play.on(at(0), red=1): 0.02}})
    assert reread(questioned)
    assert any(isinstance(event, MoveUnclear) for event in questioned)
    assert told(questioned) == []


def test_after_each_move_that_was_taken_the_reader_is_told_what_the_books_hold_and_who_plays(play: Play) -> None:
    reader = Listening()
    black_builds(play.table)
    confirm(reader, play.done())
    assert reader.books == play.position.expected()
    assert reader.colors == {BLACK, RED}
    for events in (play.session.obey(Undo(1)), play.session.obey(CorrectCell(at(3), play.on_goal(red=1)))):
        reader = Listening()
        confirm(reader, events)
        assert reader.books is None, "the table may still show the move"
