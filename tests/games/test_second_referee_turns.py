"""The naive lists of roads and turns: counted by hand on a small board; a turn is legal if and only if it is listed.

The board is two cells round the middle: four cells of forest, where a tile costs 3 days, and hills elsewhere, for 4.
So 6 days pay for one tile, or for two of forest. S is the settlement A2, T the settlement B1, and both workshops, C1
and C3, face it:

        A1f  S   A3             A tile on B2 may join C3 and T, C3 and S, T and S; one on A1 joins T and S;
      T   B2f  B3f B4           one on B3 joins C3 and S; one on C2 joins C3 and T, or C1 and C3; and the two
    C1  C2f  C3  C4  C5         tiles on C2 and B2 together join C1 and S.
"""

from typing import Any

import pytest

from tests.games.naive_board import cells_by_name
from tests.games.naive_game import Game, others_changed
from tests.games.naive_referee import game_of, played
from tests.games.naive_turns import Turn, perft, roads_in_turn, turns_in_turn
from tests.games.random_records import random_case

PASS = {"player": "red", "turn": {"tiles": {}, "merchants": {}}}


def record(rules: str, *turns: dict[str, Any], settlements: str = "A2 B1") -> dict[str, Any]:
    """A record in which the workshops are placed and red is in turn with 6 days, followed by these turns."""
    terrain = dict.fromkeys(cells_by_name(2), "hill") | dict.fromkeys(["A1", "B2", "B3", "C2"], "forest")
    two_each = [("black", "E1"), ("red", "C1"), ("black", "E3"), ("red", "C3")]
    workshops = [("red", "C3"), ("black", "E1")] if rules == "standard" else two_each
    colors = list(dict.fromkeys(color for color, _ in workshops))
    return {
        "rules": rules,
        "board": {
            "rings": 2,
            "terrain": terrain | {cell: "plain" for _, cell in workshops},
            "settlements": dict.fromkeys(settlements.split(), "city"),
        },
        "players": [{"name": color, "color": color} for color in colors],
        "moves": [*({"player": color, "workshop": cell} for color, cell in workshops), *turns],
    }


def cubes(player: str, **cells: dict[str, int]) -> dict[str, Any]:
    """A turn that the table let stand: only cubes, no tiles."""
    return {"player": player, "turn": {"tiles": {}, "merchants": cells}, "accepted": True}


def test_before_the_workshops_stand_there_are_no_turns() -> None:
    assert perft({**record("danger"), "moves": []}) == {"roads": 0, "turns": 0}


def test_standard_roads_start_at_the_workshop_and_at_what_this_turn_reached() -> None:
    # to T over B2 or C2, to S over B2 or B3; one after the other, the second also over A1 or B2 between T and S:
    # {B2 T, B3}, {B2 T, A1}, {C2, B2 S}, {C2, B3}, {C2, A1}, {C2, B2 TS}, {B2 S, A1}, {B3, A1}, {B3, B2 TS}
    assert perft(record("standard")) == {"roads": 4, "turns": 1 + 4 + 9}


def test_two_player_roads_start_at_both_workshops() -> None:
    assert perft(record("two-player")) == {"roads": 5, "turns": 1 + 5 + 9}


def test_two_player_roads_lead_through_what_the_opponent_holds() -> None:
    held = record("two-player", PASS, cubes("black", B1={"black": 1}))
    game = played(held)
    game.days["red"] = 6  # not the 10 that passing left them
    assert len(roads_in_turn(game)) == 5
    turns = turns_in_turn(game)
    assert len(turns) == 1 + 5 + 9
    on_t = game.names["B1"]
    assert not any(cell == on_t for _, changes in turns for cell, _ in changes)


def test_two_player_without_merchants_only_what_is_held_can_be_reached() -> None:
    position = record("two-player", cubes("red", E2={"red": 12}), cubes("black", B1={"black": 1}))
    game = played(position)
    game.days["red"] = 6
    assert (len(roads_in_turn(game)), len(turns_in_turn(game))) == (2, 1 + 2)


def test_danger_turns_differ_by_the_cubes_that_walk() -> None:
    # C1 and C3 are joined over C2, both ways: 0 to 6 cubes one way, 1 to 6 the other. To T over B2, or over C2: 0 to 6.
    # C1, C3 and T over C2 and B2: m cubes from C1 to C3, -6 to 6, and then any of the 6 + m to T. T over both: 0 to 6.
    both = sum(6 + m + 1 for m in range(-6, 7))
    assert perft(record("danger", settlements="B1")) == {"roads": 4, "turns": 1 + 13 + 7 + 7 + both + 7}


def shown(game: Game, move: dict[str, Any]) -> Turn | None:
    """The turn in the form of the lists; None if the player could not lay these tiles or cubes at all."""
    player = move["player"]
    tiles = {game.names[name]: tile for name, tile in move["turn"]["tiles"].items()}
    changes = {game.names[name]: change for name, change in move["turn"]["merchants"].items()}
    if others_changed(player, changes):
        return None
    if any(tile["color"] != player or tile["terrain"] != game.terrain[cell] for cell, tile in tiles.items()):
        return None
    laid = frozenset((cell, (tile["edges"][0], tile["edges"][1])) for cell, tile in tiles.items())
    return laid, frozenset((cell, change[player]) for cell, change in changes.items() if change.get(player))


@pytest.mark.long
@pytest.mark.parametrize("rules", ["standard", "two-player", "danger"])
def test_a_turn_is_legal_if_and_only_if_it_is_listed(rules: str) -> None:
    judged = {True: 0, False: 0}
    for seed in range(40):
        small, _ = random_case(seed, rules)
        if small["board"]["rings"] > 3:
            continue
        game = game_of(small)
        for move in small["moves"]:
            in_turn = not game.over and not game.is_setting_up() and move["player"] == game.order[game.turn]
            listed = None
            if in_turn and "turn" in move and len(roads_in_turn(game)) <= (6 if rules == "danger" else 40):
                listed = shown(game, move) in turns_in_turn(game)
            legal = game.move(move)["legal"]
            if listed is not None:
                assert legal == listed, (seed, move)
                judged[legal] += 1
    assert min(judged.values()) >= 5
