"""A game at the table as a record: what is written down, and that refereeing it repeats what the session said."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

import pytest

from companion.board import BadInputError, HexCell, Workshop
from companion.commands import Accept, Command, Done, EndGame, StartGame, TakeOffer, Undo
from companion.events import Event, MoveRefused
from companion.records.la_strada import Record, record_to_json
from companion.records.record import Recorder, RecordStep, read_record, record_to_text, referee, steps_of
from companion.session import Session
from tests.session.tabletop import BLACK, BOARD, GAME, RED, SITES, Tabletop, at, black_builds, red_builds

Json = dict[str, Any]


@dataclass
class Table:
    """A session with its recorder, and the table that both hear about."""

    table: Tabletop = field(default_factory=Tabletop)
    session: Session = field(default_factory=Session)
    recorder: Recorder = field(default_factory=Recorder)
    events: tuple[Event, ...] = ()
    """What the last command led to."""

    def press(self, command: Command) -> list[str]:
        self.session.see(self.table.seen())
        self.events = self.session.obey(command)
        self.recorder.hear(self.events)
        return [type(event).__name__ for event in self.events]

    def done(self, lay: Callable[[Tabletop], object] = lambda table: None) -> str:
        """Lay this, and say done."""
        lay(self.table)
        return self.press(Done())[0]

    def deal(self, rules: str, *cells: HexCell, merchants: int = 0) -> None:
        """Deal, and place these workshops with that many merchants, Black's and Red's alternately."""
        self.press(replace(GAME, rules=rules))
        for color, cell in zip(cycle((BLACK, RED)), cells):
            self.table.lay(cell, Workshop(color))
            self.table.put(cell, color, merchants)
            assert self.done() == "WorkshopPlaced"

    @property
    def record(self) -> Record:
        assert self.recorder.record is not None
        return self.recorder.record

    @property
    def moves(self) -> list[Json]:
        moves: list[Json] = record_to_json(self.record)["moves"]
        return moves

    def is_told_right(self) -> bool:
        """Whether the record, when refereed, ends where the session is."""
        return last(self.record).after == self.session.position


@pytest.fixture
def play() -> Table:
    """Both workshops are placed, and it is Black's turn."""
    play = Table()
    play.deal("standard", at(1), at(-2))
    return play


def unfinished(table: Tabletop) -> None:
    """Let Black lay a road without the merchant at its end."""
    table.road(BLACK, at(2))


def last(record: Record) -> RecordStep:
    """Return the last step of the record, read back from its text."""
    return steps_of(read_record(record_to_text(record)))[-1]


WORKSHOPS = [{"player": "black", "workshop": "G8"}, {"player": "red", "workshop": "G5"}]
TILE = {"color": "black", "terrain": "plain", "shape": "straight", "edges": [0, 3]}
BLACK_TURN = {"player": "black", "turn": {"tiles": {"G9": TILE}, "merchants": {"G10": {"black": 1}}}}


def test_before_the_first_deal_there_is_no_record() -> None:
    recorder = Recorder()
    recorder.hear(Session().obey(Done()))
    assert recorder.record is None


def test_a_record_has_board_players_rules_and_what_was_laid(play: Table) -> None:
    play.done(black_builds)
    record = record_to_json(play.record)
    assert (record["format"], record["game"], record["rules"]) == ("strada-record/1", "la-strada", "standard")
    assert "options" not in record, "nothing but the default is in force"
    assert record["board"]["terrain"] == {str(cell): "plain" for cell in BOARD.cells}
    assert len(record["board"]["settlements"]) == 19
    assert record["players"] == [{"name": "Bea", "color": "black"}, {"name": "Rob", "color": "red"}]
    assert record["moves"] == [*WORKSHOPS, BLACK_TURN]
    assert play.is_told_right()


def test_house_rules_in_force_are_in_the_record_and_defaults_are_not() -> None:
    play = Table()
    play.press(replace(GAME, options={"end": "now", "first_days": {"black": 4}}))
    assert record_to_json(play.record)["options"] == {"end": "now", "first_days": {"black": 4}}
    play.press(replace(GAME, options={"end": "ever", "first_days": {}}))
    assert "options" not in record_to_json(play.record)


def test_saved_days_are_an_empty_turn(play: Table) -> None:
    assert play.done() == "TurnTaken"
    assert play.moves[2:] == [{"player": "black", "turn": {"tiles": {}, "merchants": {}}}]


def test_a_refused_turn_is_a_try_and_so_is_the_next_one(play: Table) -> None:
    assert play.done(unfinished) == "MoveRefused"
    play.table.put(at(3), BLACK)
    assert play.done() == "TurnTaken"
    assert play.moves[2:] == [{"player": "black", "turn": {"tiles": {"G9": TILE}, "merchants": {}}}, BLACK_TURN]
    _, _, *verdicts = referee(record_to_text(play.record))["verdicts"]
    assert [verdict["violations"] for verdict in verdicts] == [["merchant-missing"], []]


def test_a_refused_turn_that_the_table_lets_stand_is_one_try(play: Table) -> None:
    play.done(unfinished)
    assert play.press(Accept())[0] == "MoveAccepted"
    assert play.moves[2:] == [{"player": "black", "turn": {"tiles": {"G9": TILE}, "merchants": {}}, "accepted": True}]
    assert play.is_told_right()


def test_a_turn_that_changed_between_being_refused_and_let_stand_is_two_tries(play: Table) -> None:
    play.done(unfinished)
    play.table.road(BLACK, at(3, -1))
    play.press(Accept())
    assert [sorted(move["turn"]["tiles"]) for move in play.moves[2:]] == [["G9"], ["F9", "G9"]]
    assert play.is_told_right()


def test_moves_taken_back_are_dropped_with_what_was_tried_after_them(play: Table) -> None:
    play.done(unfinished)
    play.table.put(at(3), BLACK)
    play.done()
    play.table.road(RED, at(-1))
    assert play.done() == "MoveRefused"
    play.press(Undo())
    assert [move["turn"]["merchants"] for move in play.moves[2:]] == [{}], "what Black tried before is still told"
    assert play.is_told_right()


def test_of_several_moves_taken_back_none_stays(play: Table) -> None:
    play.done(black_builds)
    play.done(red_builds)
    play.press(Undo(2))
    assert play.moves == WORKSHOPS
    assert play.is_told_right()


def test_a_refusal_that_was_let_stand_is_a_refusal_again_once_that_is_taken_back(play: Table) -> None:
    play.done(unfinished)
    play.press(Accept())
    play.press(Undo())
    assert [move.get("accepted") for move in play.moves[2:]] == [None]
    assert play.is_told_right()


def test_a_new_deal_begins_a_new_record(play: Table) -> None:
    play.table = Tabletop()
    assert play.press(StartGame(GAME.players[::-1]))[0] == "GameDealt"
    assert play.moves == []
    assert [player["name"] for player in record_to_json(play.record)["players"]] == ["Rob", "Bea"]


def test_a_refused_deal_leaves_the_record_of_the_game_before(play: Table) -> None:
    play.table = Tabletop()
    play.table.lay(SITES[0], None)
    assert play.press(GAME)[0] == "DealRefused"
    assert play.moves == WORKSHOPS


@pytest.mark.parametrize(
    ("lay", "code"),
    [
        (lambda table: table.lay(SITES[0], None), "settlement-changed"),
        (lambda table: table.lay(at(-2), None), "workshop-changed"),
        (lambda table: table.lay(at(2), None), "tile-removed"),
        (lambda table: table.road(BLACK, at(2), (0, 2)), "tile-changed"),
        (lambda table: table.lay(at(5), Workshop(BLACK)), "workshop-late"),
        (lambda table: table.lay(at(5), Workshop(RED)) or table.road(RED, at(-1)), "workshop-late"),
    ],
)
def test_what_only_a_table_can_show_is_no_move(play: Table, lay: Any, code: str) -> None:
    play.done(black_builds)
    before = play.moves
    play.done(lay)
    (refused,) = [event for event in play.events if isinstance(event, MoveRefused)]
    assert [reason.code for reason in refused.reasons] == [code]
    assert play.moves == before


@pytest.mark.parametrize(
    ("lay", "move"),
    [
        (lambda table: table.lay(at(2), Workshop(RED)), {"workshop": "G9"}),
        (lambda table: None, {"turn": {"tiles": {}, "merchants": {}}}),
        (lambda table: table.put(at(0), RED), {"turn": {"tiles": {}, "merchants": {"G7": {"red": 1}}}}),
    ],
    ids=["too close", "nothing", "a merchant too early"],
)
def test_a_refused_workshop_is_a_try(lay: Any, move: Json) -> None:
    play = Table()
    play.deal("standard", at(1))
    assert play.done(lay) == "MoveRefused"
    assert play.moves[1:] == [{"player": "red", **move}]
    assert not referee(record_to_text(play.record))["verdicts"][1]["legal"]


def test_a_late_workshop_of_their_own_is_a_try(play: Table) -> None:
    play.table.lay(at(5), Workshop(BLACK))
    play.done()
    assert play.moves[2:] == [{"player": "black", "workshop": "G12"}]
    assert referee(record_to_text(play.record))["verdicts"][2]["violations"] == ["workshop-late"]


def test_a_workshop_set_together_with_tiles_is_no_try() -> None:
    play = Table()
    play.press(GAME)
    play.table.lay(at(1), Workshop(BLACK))
    assert play.done(unfinished) == "MoveRefused"
    assert play.moves == []


def test_a_workshop_with_its_merchants_is_only_a_workshop() -> None:
    play = Table()
    play.press(replace(GAME, rules="danger"))
    play.table.lay(at(1), Workshop(BLACK))
    play.table.put(at(1), BLACK, 5)
    assert play.done() == "MoveRefused"
    play.table.put(at(1), BLACK)
    assert play.done() == "WorkshopPlaced"
    assert play.moves == WORKSHOPS[:1], "with five it has no form in a record"
    assert play.is_told_right()


def test_a_merchant_taken_away_is_told_although_the_record_says_more_of_it(play: Table) -> None:
    play.done(black_builds)
    play.done(red_builds)
    play.table.put(at(3), BLACK, -1)
    play.table.road(BLACK, at(3, -1))
    assert play.done() == "MoveRefused"
    assert play.moves[-1]["turn"]["merchants"] == {"G10": {"black": -1}}
    assert referee(record_to_text(play.record))["verdicts"][-1]["violations"] == ["dead-end", "merchant-removed"]


def test_terrain_that_nobody_knows_makes_no_record(play: Table) -> None:
    start = play.record.start
    some = {cell: kind for cell, kind in start.ground.terrain.items() if cell not in (at(0), at(1))}
    blind = replace(start, ground=replace(start.ground, terrain=some))
    with pytest.raises(BadInputError, match="the terrain of 2 cells is not known, first G7; a record names that of"):
        record_to_json(replace(play.record, start=blind))


def test_the_text_is_a_line_a_move_and_keeps_every_name(play: Table) -> None:
    play.done(black_builds)
    names = ['Zoë "Zo" 王\n', "half \ud83c"]
    players = tuple(replace(player, name=name) for player, name in zip(GAME.players, names, strict=True))
    record = replace(play.record, start=replace(play.record.start, players=players))
    text = record_to_text(record)
    text.encode()
    assert "Zoë" in text
    assert [player["name"] for player in json.loads(text)["players"]] == names
    assert sum(line.startswith('{"player"') for line in text.splitlines()) == 3
    assert read_record(text) == record


def test_an_early_end_is_no_move_and_taking_it_back_takes_back_none(play: Table) -> None:
    play.done(black_builds)
    for command in (EndGame(), Undo()):
        play.press(command)
        assert play.moves == [*WORKSHOPS, BLACK_TURN]
    play.press(Undo())
    assert play.moves == WORKSHOPS
    assert play.is_told_right()


def test_an_early_end_is_taken_back_together_with_the_move_before_it(play: Table) -> None:
    play.done(black_builds)
    play.press(EndGame())
    play.press(Undo(2))
    assert play.moves == WORKSHOPS
    assert play.is_told_right()


def test_a_tile_that_was_reread_is_recorded_as_it_is_read_now() -> None:
    play = Table()
    play.deal("two-player", at(1), at(-2), at(2, -1), at(-3, 1))
    play.done()  # Red saves
    black_builds(play.table)
    play.table.road(BLACK, at(2), (0, 2))
    play.done()
    play.done(red_builds)
    play.table.road(BLACK, at(2), (0, 3))
    assert "CellReread" in play.press(TakeOffer())
    (black_turn,) = [move["turn"] for move in play.moves if move["player"] == "black" and "turn" in move]
    assert black_turn["tiles"]["G9"]["edges"] == [0, 3]
    assert play.is_told_right()


def test_merchants_that_were_reread_are_recorded_at_both_ends() -> None:
    play = Table()
    play.deal("danger", at(1), at(-2), at(4, -1), at(-3, 1), merchants=6)
    play.done()  # Red saves
    play.table.road(BLACK, at(2))
    play.table.put(at(1), BLACK, -2)
    play.table.put(at(3), BLACK, 2)
    play.done()
    play.table.put(at(1), BLACK, -1)
    play.table.put(at(3), BLACK, 1)
    assert play.press(TakeOffer()).count("CellReread") == 2
    assert play.moves[-1]["turn"]["merchants"] == {"G8": {"black": -3}, "G10": {"black": 3}}
    assert play.is_told_right()


def test_a_record_of_one_game_is_not_played_by_the_rules_of_the_other(play: Table) -> None:
    record = json.loads(record_to_text(play.record))
    with pytest.raises(BadInputError, match="'competitive'; La Strada is played by standard or two-player or danger"):
        read_record(json.dumps({**record, "rules": "competitive"}))
