"""What everybody sees: one frozen snapshot, swapped whole, and the listeners who hear of a new one."""

from companion.scoreboard.interpreter import Interpreter, Scene, notice_of
from companion.scoreboard.snapshot import Choice, Eye, Lamps, Listener, Notice, PlayerLine, Scoreboard, Snapshot, Words

__all__ = [
    "Choice",
    "Eye",
    "Interpreter",
    "Lamps",
    "Listener",
    "Notice",
    "PlayerLine",
    "Scene",
    "Scoreboard",
    "Snapshot",
    "Words",
    "notice_of",
]
