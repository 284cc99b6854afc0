"""The set-up of a square board as its page needs it: places in pixels of the photographs, names, numbers; no words."""

from __future__ import annotations

from typing import Any

from companion.board import LaidSection, Mountain, Snow, Tile
from companion.setup.places import found_places, outlines, photo_name
from companion.setup.square_draft import SECTIONS_EACH, SquareDraft, SquareJudged
from companion.setup.square_lesson import Lying, SquareLesson


def square_state(draft: SquareDraft, judged: SquareJudged | None) -> dict[str, Any]:
    """Return what differs from the state of a set-up that has not found its board yet."""
    return {
        "ground": {**found_places(draft.ground.found, draft.ground.view), "corrected": 0},
        "lessons": [_lesson(lesson) for lesson in draft.lessons],
        "missing": [{"kind": kind, "which": "any"} for kind in draft.lacking],
        "sections": {color: len(sections) for color, sections in draft.sections.items()},
        "sections_each": SECTIONS_EACH,
        "untold": [{"photo": photo, "cell": str(cell)} for photo, cell in draft.untold],
        "judged": None if judged is None else _judged(judged),
    }


def _lesson(lesson: SquareLesson) -> dict[str, Any]:
    return {
        "photo": photo_name(lesson.image),
        "cells": outlines(lesson.view),
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
