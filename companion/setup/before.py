"""What a table that was set up before tells of the one that is set up now: its terrain and sites, and its tiles.

The board may be put together otherwise than before (`companion.board.hexagon`), or it may be another printing with the
same terrain. Where the printing is the same one, the reader that was taught then reads the pieces now. Nothing is said
where the board is another one, nor of a cell that this reader will not speak for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path

from calibration import BoardView, Follower, TableFolder
from companion.board import BadInputError, HexCell, Reading, Terrain
from companion.board.hexagon import SLOTS, TURNS, Layout, Lie, piece_origin
from companion.setup import UnusableTableError
from companion.setup.learning import give_examples, learnt
from vision.light.flatten import Image
from vision.reader import Reader

#: A board is one that was set up before if such a share of its cells and of its sites are the same. On tables 1000 to
#: 1031 of tablegen and the eight left out, before anybody put anything right, it is 0.69 and 0.79 at least. Of boards
#: that are otherwise it is 0.58 and 0.74 at most, whatever their terrains are called, the pieces as they fit best.
SAME_TERRAIN, SAME_SITES = 0.64, 0.76
#: A site that is where it was says as much as so many cells of the same terrain: sites are found more surely.
_SITE = 3
_TERRAINS = tuple(Terrain)
#: The game's own board, the only one that is of pieces.
_RINGS = 6
#: A reader that was taught another printing will not speak for most cells: of drawn ones for two thirds at least, of
#: rendered ones for all. Of the right printing it is a tenth or so, in poor light half.
_MOST_ABSTAINED = 0.4


@dataclass(frozen=True)
class Known:
    """A board as one was that was set up before: `share` is how much of what was seen is the same, 1 for all."""

    terrain: Mapping[HexCell, Terrain]
    sites: frozenset[HexCell]
    share: float


def known_again(
    terrain: Mapping[HexCell, Terrain],
    sites: frozenset[HexCell],
    before: Mapping[HexCell, Terrain],
    sites_before: frozenset[HexCell],
) -> Known | None:
    """Return the board that was set up before as it is put together now, if this seems to be that one; else None.

    Terrains may have each other's names in what was seen, as it is their names that are told worst.
    """
    if before.keys() != terrain.keys() or not sites_before:
        return None
    found: Known | None = None
    for names in permutations(_TERRAINS):
        called = dict(zip(_TERRAINS, names, strict=True))
        seen = {cell: called[kind] for cell, kind in terrain.items()}
        origin = _origin(seen, sites, before, sites_before)
        here = {cell: before[origin[cell]] for cell in terrain}
        marked = frozenset(cell for cell in terrain if origin[cell] in sites_before)
        same = sum(here[cell] is kind for cell, kind in seen.items()) / len(here)
        same_sites = len(marked & sites) / len(marked)
        if same < SAME_TERRAIN or same_sites < SAME_SITES:
            continue
        share = (same + same_sites) / 2
        if found is None or share > found.share:
            found = Known(here, marked, share)
    return found


def _origin(
    seen: Mapping[HexCell, Terrain],
    sites: frozenset[HexCell],
    before: Mapping[HexCell, Terrain],
    sites_before: frozenset[HexCell],
) -> Mapping[HexCell, HexCell]:
    """Return for each cell the one that it was before, the pieces put together as they fit best."""
    if next(iter(seen)).rings != _RINGS:
        return {cell: cell for cell in seen}

    def fit(piece: int, lie: Lie) -> int:
        return sum(
            (seen[cell] is before[origin]) + _SITE * (cell in sites and origin in sites_before)
            for cell, origin in piece_origin(piece, lie, _RINGS).items()
        )

    best = {
        (piece, slot): max((fit(piece, Lie(slot, turn)), -turn) for turn in TURNS)
        for piece, slot in product(SLOTS[1:], SLOTS[1:])
    }
    slots = max(permutations(SLOTS[1:]), key=lambda order: sum(best[pair][0] for pair in enumerate(order, 1)))
    lies = [Lie(0), *(Lie(slot, -best[piece, slot][1]) for piece, slot in enumerate(slots, 1))]
    one, two, three, four, five, six = lies
    return Layout((one, two, three, four, five, six), _RINGS).origin()


def pieces_before(folder: Path, follower: Follower[BoardView], image: Image) -> Reading | None:
    """Return what lies on a photograph by the reader of a table that was set up before.

    None where that is another printing, or cannot be learnt from any more.
    """
    try:
        taught = learnt(TableFolder.open(folder)).reader
    except (BadInputError, UnusableTableError):
        return None
    if not isinstance(taught, Reader):
        return None
    reader = Reader(taught.taught, follower)
    give_examples(reader, folder)
    reader.new_game(is_dealt=False)
    reading = reader.read(image)
    return None if len(reading.abstained) > _MOST_ABSTAINED * len(reading.cells) else reading
