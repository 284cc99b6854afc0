"""The set-up as its page needs it: places in pixels of the photographs, names, numbers; no words.

Each piece comes with its likeliest other names, one tap each, in case it was sorted wrongly.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from calibration import BoardView, SquareView
from calibration.view import track_fields
from companion.board import (
    BARE,
    Board,
    Color,
    Contents,
    HexCell,
    LaidSection,
    Mountain,
    Road,
    Settlement,
    Snow,
    SquareBoard,
    Terrain,
    Tile,
    Workshop,
)
from companion.board.notation import contents_to_json
from companion.setup.components import Component
from companion.setup.draft import Draft
from companion.setup.finding import StillFits, fit_of, lines_px
from companion.setup.lessons import Judged, Lesson
from companion.setup.piles import kind_of_tile
from companion.setup.placing import anywhere
from companion.setup.square_draft import SECTIONS_EACH, SquareDraft, SquareJudged
from companion.setup.wizard import Wizard
from vision.light.flatten import Image

#: How many other names are shown at most, and how likely they must be, compared with the likeliest (a logarithm).
MOST_OTHERS, _LEAST = 4, -6.0
#: Names that are less likely than this need not be listed in order.
_UNLIKELY = -8.0
#: A road may have a colour, or a terrain, that no other road seems to have.
_NEVER_SEEN = dict.fromkeys(
    (*(f"color-{color}" for color in Color), *(f"terrain-{kind}" for kind in Terrain)), _LEAST + 0.5
)


def others(lesson: Lesson, cell: HexCell) -> tuple[str, ...]:
    """Return the likeliest other names of what lies on a cell, as `companion.setup.piles.renamed` takes them."""
    contents = lesson.reading.contents(cell)
    if contents.tile is None:
        return ()
    own = _own(contents)
    doubts = {**_NEVER_SEEN, **lesson.doubts.get(cell, {})}
    likely_names = {
        name: log
        for name, log in doubts.items()
        if log > _LEAST and name not in own and (isinstance(contents.tile, Road) or not _is_of_roads(name))
    }
    return tuple(sorted(likely_names, key=lambda name: -likely_names[name])[:MOST_OTHERS])


def likely(lesson: Lesson, cell: HexCell) -> dict[str, float]:
    """Return how likely each name of a cell is, compared with the likeliest (logarithms), without the unlikely ones."""
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


def photo_name(image: Image) -> str:
    """Return a name that no other photograph has."""
    return f"{zlib.crc32(image[::16, ::16].tobytes()):08x}"


def _found(view: BoardView | SquareView) -> dict[str, Any]:
    """Return how well the board was found, and where its lines and cells are."""
    return {
        "residual_px": round(view.residual_px, 2),
        "fit": fit_of(view).value,
        "lines": _lines(view),
        "cells": _outlines(view),
    }


def _lines(view: BoardView | SquareView) -> list[list[float]]:
    lines: list[list[float]] = np.round(lines_px(view), 1).reshape(-1, 4).tolist()
    return lines


def _outlines(view: BoardView | SquareView) -> dict[str, list[float]]:
    """Return each cell's outline as a flat list of its corners, in pixels."""
    cells = view.board.cells
    corners = view.to_image(np.array([cell.outline for cell in cells]))
    return dict(zip(map(str, cells), np.round(corners, 1).reshape(len(cells), -1).tolist(), strict=True))


def _covered(draft: Draft | None) -> dict[str, list[float]] | None:
    """Return the cells on which something seems to lie, the surest first, with their outlines; None if it is empty."""
    if draft is None:
        return None
    outlines = _outlines(draft.ground.view)
    return {str(cell): outlines[str(cell)] for cell in draft.ground.covered}


def _square_state(draft: SquareDraft) -> dict[str, Any]:
    """Return what differs from the state of a set-up that has not found its board yet."""
    return {
        "ground": {**_found(draft.ground.view), "corrected": 0},
        "lessons": [
            {
                "photo": photo_name(lesson.image),
                "cells": _outlines(lesson.view),
                "lying": {
                    str(cell): {
                        "piece": _piece(lies.piece),
                        "color": lies.color,
                        "sure": round(lies.sure, 2),
                        "corrected": lies.is_told,
                    }
                    for cell, lies in lesson.lying.items()
                },
            }
            for lesson in draft.lessons
        ],
        "missing": [{"kind": kind, "which": "any"} for kind in draft.lacking],
        "sections": {color: len(sections) for color, sections in draft.sections.items()},
        "sections_each": SECTIONS_EACH,
        "untold": [{"photo": photo, "cell": str(cell)} for photo, cell in draft.untold],
    }


def _piece(piece: Tile | None) -> dict[str, Any]:
    """Return a piece; a section has its rays as they point on the board, and `id` null while nothing was said of it."""
    match piece:
        case Snow():
            return {"kind": "snow"}
        case Mountain():
            return {"kind": "mountain"}
        case LaidSection(section=section, color=color):
            return {
                "kind": "section",
                "id": section.id,
                "color": str(color),
                "number": section.number,
                "horse": section.has_horse,
                "rays": list(piece.rays),
                "dead_end": section.is_dead_end,
            }
        case _:
            return {"kind": "section", "id": None}


def _hex_state(draft: Draft) -> dict[str, Any]:
    """Return the same for a board of hexagons."""
    ground, (lacking, terrains) = draft.ground, draft.lacking
    return {
        "ground": {
            **_found(ground.view),
            "terrain": {str(cell): terrain.value for cell, terrain in ground.terrain.items()},
            "next": {str(cell): ground.next_terrain(cell).value for cell in ground.terrain},
            "sites": sorted(map(str, ground.sites)),
            "doubtful": [str(cell) for cell in ground.doubtful],
            "veiled": [str(cell) for cell in ground.veiled],
            "corrected": len(ground.corrected),
            "markers": 0 if ground.fiducials is None else len(ground.fiducials.ids),
        },
        "lessons": [_lesson(lesson, draft) for lesson in draft.lessons],
        "tracks": {
            color.value: dict(zip(("0", "10"), np.round(ground.view.to_image(ends), 1).tolist(), strict=True))
            for color, ends in draft.tracks.items()
        },
        "sure_tracks": _is_sure_of_tracks(draft),
        "missing": [_component(one) for one in lacking],
        "missing_terrains": [terrain.value for terrain in terrains],
        "again": draft.again and _component(draft.again),
    }


def _is_sure_of_tracks(draft: Draft) -> bool:
    """Return whether it is enough to show the tracks once more before saving: each marker is on its first field."""
    markers = [field for lesson in draft.lessons for field in lesson.reading.tracks.values()]
    return draft.is_sure_of_tracks and bool(markers) and not any(field != 0 for field in markers)


def _lesson(lesson: Lesson, draft: Draft) -> dict[str, Any]:
    return {
        "photo": photo_name(lesson.image),
        "cells": _outlines(lesson.view),
        "lying": {
            str(cell): {
                **contents_to_json(read.contents),
                "sure": round(read.confidence, 2),
                "corrected": cell in lesson.corrected,
                "others": others(lesson, cell) if isinstance(cell, HexCell) else (),
                "likely": likely(lesson, cell) if isinstance(cell, HexCell) else {},
            }
            for cell, read in lesson.reading.cells.items()
            if read.contents != BARE
        },
        "piles": [] if lesson.piles is None else [[str(cell) for cell in pile] for pile in lesson.piles.piles],
        "markers": {str(color): field for color, field in lesson.reading.tracks.items()},
        "fields": {
            color.value: np.round(lesson.view.to_image(track_fields(ends)), 1).tolist()
            for color, ends in draft.tracks.items()
        },
    }


def _judged(judged: Judged | SquareJudged | None) -> dict[str, Any] | None:
    match judged:
        case SquareJudged():
            return {
                "twins": [[_piece(one), _piece(other)] for one, other in judged.twins],
                "alike": [[_piece(one), _piece(other)] for one, other in judged.alike],
                "misread": [{"photo": photo, "cell": str(cell)} for photo, cell in judged.misread],
            }
        case Judged():
            return {
                "doubts": [
                    {
                        "one": _component(doubt.one),
                        "other": _component(doubt.other)
                        if isinstance(doubt.other, Component)
                        else {"kind": "terrain", "which": doubt.other.value},
                        "remedy": doubt.remedy.value,
                    }
                    for doubt in judged.doubts
                ],
                "misread": [_component(one) for one in judged.misread],
            }
        case None:
            return None


def roll_of(wizard: Wizard) -> dict[str, Any] | None:
    """Return which photograph of a folder is on show, from 1; None if a camera is used."""
    if wizard.roll is None:
        return None
    at, count, name = wizard.roll.place
    return {"number": at + 1, "count": count, "name": name[:80]}


def state_of(wizard: Wizard) -> dict[str, Any]:
    """Return how far the set-up has got."""
    now = wizard.now
    draft, frozen, asked = now.draft, now.frozen, now.asked and now.asked.doubt
    corners = wizard.proposed_corners(now)
    in_use = wizard.in_use()
    state: dict[str, Any] = {
        "version": now.version,
        "tables": [
            {
                "key": table.path.name,
                "name": table.name,
                "saved": table.saved and table.saved.isoformat(),
                "board": "square" if table.is_square else "hexagon",
                "in_use": in_use is not None and table.path.resolve() == in_use.resolve(),
            }
            for table in wizard.tables
        ],
        "board": "square" if isinstance(now.board, SquareBoard) else "hexagon",
        "colors": [color.value for color in now.colors],
        "size": None if frozen is None else [frozen.shape[1], frozen.shape[0]],
        "photo": None if frozen is None else photo_name(frozen),
        "corners": {str(cell): [round(x, 1), round(y, 1)] for cell, (x, y) in corners.items()},
        "asked": asked and {"clicked": _lines(asked.clicked), "beside": _lines(asked.beside), "cells": asked.steps},
        "covered": _covered(now.covered),
        "ground": None,
        "lessons": [],
        "tracks": {},
        "sure_tracks": False,
        "missing": [],
        "missing_terrains": [],
        "again": None,
        "judged": _judged(now.judged),
        "roll": roll_of(wizard),
        "handheld": now.is_handheld,
        "sought": now.is_sought,
        "undo": len(now.before),
        "unplaced": None if now.unplaced is None else _unplaced(now.unplaced, now.board),
        "known": None,
    }
    if isinstance(draft, Draft) and draft.ground.before is not None:
        state["known"] = next((table.name for table in wizard.tables if table.path == draft.ground.before), None)
    if draft is not None:
        state |= _square_state(draft) if isinstance(draft, SquareDraft) else _hex_state(draft)
    return state


def _unplaced(photo: Image, board: Board) -> dict[str, Any]:
    """Return the photograph that waits for its corners, with where they may be."""
    height, width = photo.shape[:2]
    corners = anywhere(board, width, height)
    return {
        "photo": photo_name(photo),
        "size": [width, height],
        "corners": {str(cell): [round(x, 1), round(y, 1)] for cell, (x, y) in corners.items()},
    }


def fit_to_json(fit: StillFits) -> dict[str, Any]:
    """Return whether a stored table fits, with what was measured."""
    return {
        "fits": fit.fits,
        "misfit": fit.misfit,
        "residual_px": fit.residual_px and round(fit.residual_px, 2),
        "moved_cells": fit.moved_cells and round(fit.moved_cells, 2),
        "stops": fit.stops and round(fit.stops, 2),
    }


def _component(component: Component) -> dict[str, str]:
    return {"kind": component.kind.value, "which": component.which}
