"""Every possible turn, by building one road after another: what perft counts."""

from copy import deepcopy
from typing import Any

from tests.games.naive_board import Cell, Cubes, Road, Tiles
from tests.games.naive_game import Game
from tests.games.naive_referee import played

Laid = frozenset[tuple[Cell, tuple[int, int]]]
Turn = tuple[Laid, frozenset[tuple[Cell, int]]]
"""What the table shows of a turn: each tile's cell and edges; each cell where their cubes changed, and by how many."""


def perft(record: dict[str, Any]) -> dict[str, int]:
    """How many roads and turns the player in turn has with the days they hold, after all moves of the record.

    Two roads differ if a tile lies differently (its cell or its two edges), or if they start or end elsewhere: in
    danger, a row of tiles between two places where they have cubes is two roads, one each way. Two turns differ if a
    tile lies differently or their cubes change differently. In what order, by which roads or from which end that came
    about makes no difference, and building nothing is a turn too. A tile's terrain is its cell's, its colour the
    player's. While workshops are missing, and after the end, there are no roads and no turns.
    """
    game = played(record)
    if game.over or game.is_setting_up():
        return {"roads": 0, "turns": 0}
    return {"roads": len(roads_in_turn(game)), "turns": len(turns_in_turn(game))}


def roads_in_turn(game: Game) -> set[Road]:
    """Each road that the player in turn could build as their first."""
    player = game.order[game.turn]
    return set(game.roads_for(player, game.days[player]))


def turns_in_turn(game: Game) -> set[Turn]:
    """Each turn that the player in turn could lay."""
    turns: set[Turn] = set()
    build_on(game, frozenset(), {}, turns)
    return turns


def build_on(game: Game, laid: Laid, moved: dict[Cell, int], turns: set[Turn]) -> None:
    """Add the turn that shows this, and all that build on it; turns that show the same have the same roads ahead."""
    turn = laid, frozenset((cell, number) for cell, number in moved.items() if number)
    if turn in turns:
        return
    turns.add(turn)
    player = game.order[game.turn]
    for road in roads_in_turn(game):
        for changes in game.cubes_of(player, road):
            after = deepcopy(game)
            build(after, player, road, changes)
            moved_after = dict(moved)
            for cell, change in changes.items():
                moved_after[cell] = moved_after.get(cell, 0) + change[player]
            build_on(after, laid | road.tiles, moved_after, turns)


def build(game: Game, player: str, road: Road, changes: Cubes) -> None:
    """Build the road with these changes of cubes, so that the turn can go on."""
    tiles: Tiles = {
        cell: {"color": player, "terrain": game.terrain[cell], "edges": list(edges)} for cell, edges in road.tiles
    }
    game.apply(player, tiles, tiles, changes)
    game.connected[player].add(road.goal)
