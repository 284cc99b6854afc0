"""A table's photographs of components, looked up in its folder and flattened."""

from __future__ import annotations

from calibration.follow import BoardLost, Follower
from calibration.table import TableFolder
from calibration.view import BoardView
from companion.board import BadInputError, Reading
from vision.flatten import Flat


def load_lessons(folder: TableFolder, follower: Follower[BoardView], extent: float) -> list[tuple[Flat, Reading]]:
    """Return flat pictures of teach.jpg, teach-2.jpg and so on, each with what lies there.

    Raises BadInputError where one is missing or broken, or the board is not found in it.
    """
    lessons = []
    for photo, (shown, truth) in zip(folder.teach_photos, folder.load_teaches(), strict=True):
        view = follower.follow(shown)
        if isinstance(view, BoardLost):
            raise BadInputError(f"{photo}: {view.why}; photograph the components on the same board")
        lessons.append((Flat.of(shown, view, extent), truth))
    return lessons
