"""A camera over a drawn table, with players: what the companion sees when there is no camera and no game.

`virtual_camera(seed)` hangs a camera over a table of its own. `VirtualTable(camera)` plays on it and gives pictures.
`write_table` and `write_evening` write drawn tables in the form described in tables/FORMAT.md.
"""

from simulator.camera import VirtualCamera
from simulator.dealing import PLAYERS, layout_showing
from simulator.evening import write_evening, write_square_evening
from simulator.game import SilkRoadTable, VirtualTable
from simulator.scene import Hand, Nudge, Scene
from simulator.setup import Setup, made_setup, truth_json, virtual_art, virtual_camera, write_table
from simulator.square_camera import write_square_table
from simulator.turns import Frame, Pace

__all__ = [
    "PLAYERS",
    "Frame",
    "Hand",
    "Nudge",
    "Pace",
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
