"""How a game is dealt, and how hands bring the table from how it is to how it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import cast

import numpy as np

from companion.board import (
    BARE,
    Cell,
    Change,
    Color,
    Contents,
    HexCell,
    Layout,
    Lie,
    Road,
    Settlement,
    SettlementType,
    Tile,
    difference,
)
from companion.board.hexagon import SLOTS, TURNS, piece_origin
from companion.games.contract import Dealt, Player, Position
from companion.games.la_strada import STANDARD, Ground, LaStrada, LaStradaPosition
from simulator.art import Art
from simulator.scene import AnyScene, Scene

#: The three who play unless others are named.
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED), Player("Cy", Color.YELLOW))
#: How many cubes a hand takes at once.
_HANDFUL = 4


def seated(rules: LaStrada, art: Art) -> tuple[Player, ...]:
    """Return those who play unless others are named: the three, or two whose day tracks face each other."""
    if len(PLAYERS) in rules.rules.seats:
        return PLAYERS
    return tuple(Player(player.name, color) for player, color in zip(PLAYERS, art.sides[::2], strict=False))


def random_layout(rng: np.random.Generator, rings: int = 6) -> Layout:
    """Return a layout of the six pieces in any order and rotation; the starting piece is where it always is."""
    slots = [int(slot) for slot in rng.permutation(5) + 1]
    one, two, three, four, five = (Lie(slot, int(rng.integers(3))) for slot in slots)
    return Layout((Lie(0), one, two, three, four, five), rings)


def layout_showing(art: Art, ground: Dealt) -> Layout | None:
    """Return a layout in which this printing's pieces show that ground; None if there is none."""

    settlements = ground.settlements if isinstance(ground, Ground) else dict[HexCell, SettlementType]()

    def shows(piece: int, lie: Lie) -> bool:
        moved = piece_origin(piece, lie, art.board.rings)
        return all(
            ground.terrain.get(cell) is art.terrain.get(origin) and (cell not in settlements or origin in art.sites)
            for cell, origin in moved.items()
        )

    if ground.board != art.board or not shows(0, Lie(0)):
        return None
    fits = {
        (piece, slot): lie
        for piece in SLOTS[1:]
        for slot in SLOTS[1:]
        for turn in TURNS
        if shows(piece, lie := Lie(slot, turn))
    }
    for slots in permutations(SLOTS[1:]):
        lies = [fits.get((piece, slot)) for piece, slot in zip(SLOTS[1:], slots, strict=True)]
        one, two, three, four, five = lies
        if one and two and three and four and five:
            return Layout((Lie(0), one, two, three, four, five), ground.board.rings)
    return None


def assembled(
    art: Art,
    layout: Layout,
    players: Sequence[Player],
    rng: np.random.Generator,
    rules: LaStrada = STANDARD,
) -> Scene:
    """Return the bare board in that layout, with the players' day-track markers on 0, the rounds' on their number."""
    scene = Scene(art.board, layout)
    for player in players:
        scene = scene.move_marker(Color(player.color), 0, rng)
    if rules.rules.rounds is not None:
        scene = scene.move_marker(_unused([Color(player.color) for player in players]), rules.rules.rounds, rng)
    return scene


def round_to_mark(position: LaStradaPosition, scene: Scene) -> tuple[Color, int] | None:
    """Return the unused colour whose day track counts the rounds, and the field where its marker should be.

    That field is the number of rounds still to play. None if the marker is there already, or the rules count no rounds.
    """
    left = position.rounds_left
    if left is None:
        return None
    color = _unused(position.colors)
    marker = scene.markers.get(color)
    return None if marker is not None and marker.field == left else (color, left)


def _unused(colors: Sequence[Color]) -> Color:
    return next(color for color in Color if color not in colors)


def deal(art: Art, layout: Layout, rng: np.random.Generator) -> Mapping[Cell, Contents]:
    """Return which settlement goes on which site: 4 cities, 5 towns, 5 villages and 5 hamlets, shuffled."""
    kinds = [kind for kind in SettlementType for _ in range(STANDARD.rules.settlements[kind])]
    sites = sorted(art.sites_as_laid(layout))
    order = rng.permutation(len(sites))
    return {sites[k]: Contents(Settlement(kind)) for k, kind in zip(order, kinds, strict=False)}


def begun(art: Art, scene: Scene, players: Sequence[Player], rules: LaStrada = STANDARD) -> LaStradaPosition:
    """Return the position of a game that begins with the settlements in the scene.

    Raises BadInputError if these rules are not for that many players.
    """
    settlements = {cell: laid.tile.type for cell, laid in scene.tiles.items() if isinstance(laid.tile, Settlement)}
    return rules.start(Ground(art.board, dict(art.terrain_as_laid(scene.layout).items()), settlements), players, {})


def change_of(art: Art, scene: Scene, position: LaStradaPosition) -> Change:
    """Return how the table differs from the position, as a perfect reader would see it without hands in the way."""
    return difference(scene.truth(art.terrain, art.sites), position.expected())


@dataclass(frozen=True, slots=True)
class Act:
    """One movement of a hand: a tile, or a handful of cubes of one colour, is placed on the cell or taken away."""

    cell: Cell
    thing: Tile | Color
    comes: bool
    count: int = 1

    def done(self, scene: AnyScene, rng: np.random.Generator) -> AnyScene:
        """Return the scene after this movement."""
        match self.thing:
            case Color():
                assert isinstance(scene, Scene), "cubes stand on La Strada's boards alone"
                assert isinstance(self.cell, HexCell)
                then: Scene = scene
                for _ in range(self.count):
                    then = then.put(self.cell, self.thing, rng) if self.comes else then.remove(self.cell, self.thing)
                return cast(AnyScene, then)
            case _:
                return scene.lay(self.cell, self.thing, rng) if self.comes else scene.take(self.cell)


def acts(scene: AnyScene, wanted: Mapping[Cell, Contents]) -> list[Act]:
    """Return what hands must do so that these cells hold what is wanted, in their order, with removals first."""
    going, coming = [], []
    for cell, lies in wanted.items():
        now = scene.contents(cell)
        if now.tile != lies.tile:
            if now.tile is not None:
                going.append(Act(cell, now.tile, False))
            if lies.tile is not None:
                coming.append(Act(cell, lies.tile, True))
        for color in Color:
            more = lies.merchants[color] - now.merchants[color]
            handfuls = [min(_HANDFUL, abs(more) - k) for k in range(0, abs(more), _HANDFUL)]
            (coming if more > 0 else going).extend(Act(cell, color, more > 0, count) for count in handfuls)
    return going + coming


def laid(scene: AnyScene, wanted: Mapping[Cell, Contents], rng: np.random.Generator) -> AnyScene:
    """Return the scene after all that it takes for these cells to hold what is wanted."""
    for act in acts(scene, wanted):
        scene = act.done(scene, rng)
    return scene


def put_right(
    position: Position, wrong: Mapping[Cell, Contents], right: Mapping[Cell, Contents]
) -> Mapping[Cell, Contents]:
    """Return what should be on the cells of a mistake: what is right there, or else what was there before."""
    expected = position.expected()
    return {**{cell: expected.get(cell, BARE) for cell in wrong}, **right}


def tidied(scene: AnyScene, position: Position) -> Mapping[Cell, Contents]:
    """Return what should be on every cell where the scene differs from the position."""
    expected = position.expected()
    wanted = {cell: expected.get(cell, BARE) for cell in scene.board.cells}
    return {cell: lies for cell, lies in wanted.items() if scene.contents(cell) != lies}


def days_spent(position: LaStradaPosition, scene: Scene) -> int:
    """Return the cost of the new road tiles on the table, by their cells' terrain."""
    return sum(
        position.rules.costs[position.ground.terrain[cell]]
        for cell, laid in scene.tiles.items()
        if isinstance(laid.tile, Road) and position.is_free(cell)
    )
