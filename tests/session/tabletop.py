"""A table for tests: a board of plain with 19 settlements three cells apart, on which pieces are laid by hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from companion.board import (
    BARE,
    CellReading,
    Color,
    Contents,
    HexBoard,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.commands import StartGame
from companion.games.contract import Player

BOARD = HexBoard(6)
#: What a reader that speaks for a cell reads there, how sure it is and, if it says so, how likely something else is.
Surely = tuple[Contents, float] | tuple[Contents, float, Mapping[Contents, float]]
BLACK, RED = Color.BLACK, Color.RED
GAME = StartGame((Player("Bea", BLACK), Player("Rob", RED)))
KINDS = (
    [SettlementType.CITY] * 4 + [SettlementType.TOWN] * 5 + [SettlementType.VILLAGE] * 5 + [SettlementType.HAMLET] * 5
)
CITY, TOWN, VILLAGE, HAMLET = (Settlement(kind) for kind in SettlementType)


def at(q: int, r: int = 0) -> HexCell:
    return HexCell(q, r, 6)


SITES = [cell for cell in BOARD.cells if cell.q % 3 == cell.r % 3 == 0]
WEST_EAST = (0, 3)


def road(color: Color, edges: tuple[int, int] = WEST_EAST, terrain: Terrain = Terrain.PLAIN) -> Contents:
    return Contents(Road(color, terrain, edges))


class Tabletop:
    """What lies on the table; pieces are laid and taken as people do it."""

    def __init__(self, kinds: Sequence[SettlementType] = KINDS) -> None:
        self.lies = {cell: Contents(Settlement(kind)) for cell, kind in zip(SITES, kinds, strict=True)}
        self.tracks: dict[Color, int | None] = {BLACK: 0, RED: 0}

    def lay(self, cell: HexCell, tile: Road | Workshop | Settlement | None) -> None:
        self.lies[cell] = replace(self.lies.get(cell, BARE), tile=tile)

    def put(self, cell: HexCell, color: Color, count: int = 1) -> None:
        lies = self.lies.get(cell, BARE)
        self.lies[cell] = replace(lies, merchants=lies.merchants + Merchants.of({color: count}))

    def road(self, color: Color, cell: HexCell, edges: tuple[int, int] = WEST_EAST) -> None:
        self.lay(cell, road(color, edges).tile)

    def seen(
        self,
        covered: Iterable[HexCell] = (),
        doubted: Mapping[HexCell, Sequence[Contents] | Mapping[Contents, float]] | None = None,
        covered_tracks: Iterable[Color] = (),
        surely: Mapping[HexCell, Surely] | None = None,
        told: Mapping[HexCell, Contents] | None = None,
        since: Mapping[HexCell, tuple[Contents, Contents]] | None = None,
        anew: Mapping[HexCell, Mapping[Color, tuple[float, ...]]] | None = None,
        unseen: Mapping[HexCell, float] | None = None,
    ) -> Reading:
        """Return a perfect reading, except for covered cells and for cells in doubt, which have the alternatives given.

        Alternatives with numbers come from a reader that says how likely each is. `surely` is what it reads, right or
        wrong, with that confidence. `told` is what it only repeats, `since` what it reads by counting on from what it
        was told, and `anew` how that looks by itself. `unseen` is how likely a lamp hides something else on cells in
        doubt.
        """
        doubted = doubted or {}
        covered = frozenset(covered)
        blind = covered | doubted.keys()
        cells = {
            cell: CellReading(
                BARE if cell in blind else self.lies.get(cell, BARE),
                Terrain.PLAIN,
                cell in SITES,
                0.3 if cell in blind else 1.0,
                tuple(doubted.get(cell, ())),
                tuple(doubted[cell].values()) if isinstance(doubted.get(cell), Mapping) else (),
            )
            for cell in BOARD.cells
        }
        for cell, (contents, confidence, *others) in (surely or {}).items():
            further = tuple(others[0].items()) if others else ()
            cells[cell] = replace(cells[cell], contents=contents, confidence=confidence, further=further)
        for cell, contents in (told or {}).items():
            cells[cell] = replace(cells[cell], contents=contents, is_told=True)
        for cell, (contents, held) in (since or {}).items():
            cells[cell] = replace(cells[cell], contents=contents, since=held)
        for cell, looks in (anew or {}).items():
            cells[cell] = replace(cells[cell], anew=looks)
        for cell, share in (unseen or {}).items():
            cells[cell] = replace(cells[cell], unseen=share)
        return Reading(BOARD, cells, dict(self.tracks), covered, frozenset(covered_tracks), frozenset(doubted))


def black_builds(table: Tabletop) -> None:
    """Lay a legal turn of Black from their workshop to the settlement three cells east of the centre: 2 days."""
    table.road(BLACK, at(2))
    table.put(at(3), BLACK)
    table.tracks[BLACK] = 4


def red_builds(table: Tabletop) -> None:
    """Lay a legal turn of Red from their workshop to the settlement in the centre: 2 days."""
    table.road(RED, at(-1))
    table.put(at(0), RED)
    table.tracks[RED] = 4
