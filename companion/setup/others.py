"""What a piece may be instead: the likeliest other names, a tap each, for one that was sorted wrongly."""

from __future__ import annotations

from companion.board import Color, Contents, HexCell, Road, Settlement, Terrain, Workshop
from companion.setup.piles import kind_of_tile
from companion.setup.together import Lesson

#: So many other names are shown at most, and none that is less likely than this beside the likeliest (a logarithm).
MOST, _LEAST = 4, -6.0
#: Names that are less likely than this are all the same to whoever lists them.
_UNLIKELY = -8.0
#: A road may be of a colour, or on a terrain, of which no other road seems to be.
_NEVER_SEEN = dict.fromkeys(
    (*(f"color-{color}" for color in Color), *(f"terrain-{kind}" for kind in Terrain)), _LEAST + 0.5
)


def others(lesson: Lesson, cell: HexCell) -> tuple[str, ...]:
    """Return the likeliest other names of what lies on a cell, as `companion.setup.piles.renamed` has them."""
    contents = lesson.reading.contents(cell)
    if contents.tile is None:
        return ()
    own = _own(contents)
    doubts = {**_NEVER_SEEN, **lesson.doubts.get(cell, {})}
    found = {
        name: log
        for name, log in doubts.items()
        if log > _LEAST and name not in own and (isinstance(contents.tile, Road) or not _is_of_roads(name))
    }
    return tuple(sorted(found, key=lambda name: -found[name])[:MOST])


def likely(lesson: Lesson, cell: HexCell) -> dict[str, float]:
    """Return how likely each name of what lies on a cell is beside the likeliest (logarithms); without the unlikely."""
    return {name: round(log, 1) for name, log in lesson.doubts.get(cell, {}).items() if log > _UNLIKELY}


def _own(contents: Contents) -> set[str]:
    match contents.tile:
        case Settlement() | Workshop() as tile:
            return {kind_of_tile(tile)}
        case Road(color=color, terrain=terrain, edges=edges):
            return {"road", f"color-{color}", f"terrain-{terrain}", f"way-{edges[0]}{edges[1]}"}
        case _:
            return set()


def _is_of_roads(name: str) -> bool:
    return name.partition("-")[0] in ("color", "terrain", "way")
