"""The table that is played on: whether its photographs teach it, and what it would confuse all the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.board import BadInputError
from companion.doctor.finding import Finding, note, ok, todo


@dataclass(frozen=True, slots=True)
class TableTest:
    """What a table says of itself. Tiles are in the words of companion.board.words, bare ground is its terrain's.

    `alike` are the pairs that it confuses, worst first; `photograph` how many of which tiles to photograph.
    """

    folder: str
    is_square: bool = False
    alike: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()
    under_cubes: tuple[str, ...] = ()
    photograph: tuple[tuple[str, int], ...] = ()


def table(camera: str, tested: Callable[[], TableTest | None]) -> Finding:
    """Look how surely the table tells its tiles apart; `tested` learns it anew, or gives None where there is none.

    `camera` is the settings' kind of camera: for some no table is needed.
    """
    if camera in ("virtual", "none"):
        return ok("table-drawn" if camera == "virtual" else "table-by-hand")
    try:
        found = tested()
    except ImportError as error:
        return todo("camera-library", why=str(error))
    except BadInputError as error:
        return todo("table-unfit", why=str(error))
    if found is None:
        return note("table-none")
    if found.is_square:
        return ok("table-square", folder=found.folder)
    folder, pieces = found.folder, "; ".join(f"{number} x {tile}" for tile, number in found.photograph)
    if found.alike:
        pairs = "; ".join(" / ".join(pair) for pair in found.alike)
        return todo("table-alike", folder=folder, pairs=pairs, pieces=pieces)
    if found.missing:
        return todo("table-missing", folder=folder, tiles="; ".join(found.missing), pieces=pieces)
    if found.under_cubes:
        return note("table-under-cubes", folder=folder, tiles="; ".join(found.under_cubes), pieces=pieces)
    return ok("table", folder=folder)
