"""Finds the board in the picture: from rough clicks to a view, and from photograph to photograph."""

from calibration.align import align, align_square, locate
from calibration.doubt import Doubtful
from calibration.follow import BoardLost, Follower
from calibration.lens import CalibratedLens, Lens
from calibration.seeking import corners_sought
from calibration.table import Fiducials, TableFolder, TableSetup, decode_photo, load_photo, read_clicks
from calibration.view import BoardView, SquareView, track_fields

__all__ = [
    "BoardLost",
    "BoardView",
    "CalibratedLens",
    "Doubtful",
    "Fiducials",
    "Follower",
    "Lens",
    "SquareView",
    "TableFolder",
    "TableSetup",
    "align",
    "align_square",
    "corners_sought",
    "decode_photo",
    "load_photo",
    "locate",
    "read_clicks",
    "track_fields",
]
