"""A camera over a drawn table, with players: what the companion sees where there is no camera and no game.

`virtual_camera(seed)` hangs a camera over a table of its own; `VirtualTable(camera)` plays on it and gives pictures;
`write_table` and `write_evening` write drawn tables in the form of tables/FORMAT.md.
"""

from companion.virtual_table.camera import VirtualCamera
from companion.virtual_table.dealing import PLAYERS, layout_showing
from companion.virtual_table.evening import write_evening
from companion.virtual_table.game import VirtualTable
from companion.virtual_table.pace import Frame, Pace, Press
from companion.virtual_table.photographs import truth_json
from companion.virtual_table.scene import Hand, Nudge, Scene
from companion.virtual_table.setup import Setup, made_setup, virtual_art, virtual_camera, write_table
from companion.virtual_table.silk_road import SilkRoadTable
from companion.virtual_table.square_evening import write_square_evening
from companion.virtual_table.square_setup import write_square_table

__all__ = [
    "PLAYERS",
    "Frame",
    "Hand",
    "Nudge",
    "Pace",
    "Press",
    "Scene",
    "Setup",
    "SilkRoadTable",
    "VirtualCamera",
    "VirtualTable",
    "layout_showing",
    "made_setup",
    "truth_json",
    "virtual_art",
    "virtual_camera",
    "write_evening",
    "write_square_evening",
    "write_square_table",
    "write_table",
]
