"""The set-up of a square board as its page needs it: places in pixels of the photographs, names, numbers; no words."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from calibration import SquareView
from companion.board import QUARTERS, LaidSection, Mountain, Snow, Tile
from companion.setup.square_draft import SECTIONS_EACH, SquareDraft, SquareGround, SquareJudged
from companion.setup.square_lesson import Lying, SquareLesson
from vision.flatten import Image


def square_state(draft: SquareDraft, judged: SquareJudged | None) -> dict[str, Any]:
    """Return what differs from the state of a set-up that has not found its board yet."""
    return {
        "ground": _ground(draft.ground),
        "lessons": [_lesson(lesson) for lesson in draft.lessons],
        "missing": [{"kind": kind, "which": "any"} for kind in draft.lacking],
        "sections": {color: len(sections) for color, sections in draft.sections.items()},
        "sections_each": SECTIONS_EACH,
        "untold": [{"photo": photo, "cell": str(cell)} for photo, cell in draft.untold],
        "judged": None if judged is None else _judged(judged),
    }


def name_of(image: Image) -> str:
    """Return a name that another photograph has not."""
    return f"{zlib.crc32(image[::16, ::16].tobytes()):08x}"


def _ground(ground: SquareGround) -> dict[str, Any]:
    found = ground.found
    return {
        "residual_px": round(found.residual_px, 2),
        "fit": found.fit.value,
        "lines": np.round(found.lines_px, 1).reshape(-1, 4).tolist(),
        "cells": _outlines(ground.view),
        "corrected": 0,
    }


def _lesson(lesson: SquareLesson) -> dict[str, Any]:
    return {
        "photo": name_of(lesson.image),
        "cells": _outlines(lesson.view),
        "lying": {str(cell): _lying(lies) for cell, lies in lesson.lying.items()},
    }


def _lying(lies: Lying) -> dict[str, Any]:
    return {"piece": _piece(lies.piece), "color": lies.color, "sure": round(lies.sure, 2), "corrected": lies.is_told}


def _piece(piece: Tile | None) -> dict[str, Any]:
    """Return what lies there; a section's rays as they point there, `id` null while nothing was said."""
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


def _judged(judged: SquareJudged) -> dict[str, Any]:
    return {
        "twins": [[_piece(one), _piece(other)] for one, other in judged.twins],
        "alike": [[_piece(one), _piece(other)] for one, other in judged.alike],
        "misread": [{"photo": photo, "cell": str(cell)} for photo, cell in judged.misread],
    }


def _outlines(view: SquareView) -> dict[str, list[float]]:
    """Return each cell's outline as a flat list of four corners, in pixels."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * QUARTERS / 2
    cells = view.board.cells
    corners = view.to_image(np.array([cell.centre for cell in cells])[:, None] + square)
    return {
        str(cell): outline
        for cell, outline in zip(cells, np.round(corners, 1).reshape(len(cells), -1).tolist(), strict=True)
    }
