"""What everybody sees: one frozen snapshot, swapped whole, and the listeners who hear of a new one."""

from companion.scoreboard.course import Course, Stand
from companion.scoreboard.interpreter import Interpreter, Scene, notice_of
from companion.scoreboard.snapshot import Choice, Eye, Lamps, Listener, Notice, PlayerLine, Scoreboard, Snapshot, Words

__all__ = [
    "Choice",
    "Course",
    "Eye",
    "Interpreter",
    "Lamps",
    "Listener",
    "Notice",
    "PlayerLine",
    "Scene",
    "Scoreboard",
    "Snapshot",
    "Stand",
    "Words",
    "notice_of",
]
