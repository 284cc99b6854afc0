"""What a snapshot says has changed most recently."""

from companion.scoreboard import Snapshot
from tests.games.drawing import BLACK, GREY, begin, ground
from tests.games.test_worked_example import before_grey, first_turn


def names(snapshot: Snapshot) -> set[str]:
    return set(map(str, snapshot.changed))


def test_the_cells_of_the_last_move_changed_and_stay_so_until_the_next() -> None:
    before = before_grey()
    snapshot = Snapshot().with_position(before)
    assert names(snapshot) == set(), "nothing is marked at a deal"
    moved = snapshot.with_position(first_turn(before))
    assert names(moved) == {"G2", "G3", "G4", "F4"}
    assert names(moved.with_position(first_turn(before))) == {"G2", "G3", "G4", "F4"}


def test_a_move_taken_back_changed_its_cells() -> None:
    before = before_grey()
    snapshot = Snapshot().with_position(first_turn(before)).with_position(before)
    assert names(snapshot) == {"G2", "G3", "G4", "F4"}


def test_in_another_game_nothing_has_changed_yet() -> None:
    snapshot = Snapshot().with_position(first_turn(before_grey()))
    other = ground({"A1": "town"}, rings=6, hill="B2")
    assert names(snapshot.with_position(begin(other, {GREY: "G1", BLACK: "J10"}))) == set()
