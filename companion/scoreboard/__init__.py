"""What everybody sees: one frozen snapshot, swapped whole, and the listeners who hear of a new one."""

from companion.scoreboard.interpreter import Interpreter, Scene, notice_of
from companion.scoreboard.latest import Scoreboard
from companion.scoreboard.snapshot import (
    Choice,
    Course,
    Eye,
    Lamps,
    Notice,
    PlayerLine,
    Snapshot,
    Stand,
    Wishes,
    Words,
)
from companion.scoreboard.turn_clock import Kept, Times, TurnClock

__all__ = [
    "Choice",
    "Course",
    "Eye",
    "Interpreter",
    "Kept",
    "Lamps",
    "Notice",
    "PlayerLine",
    "Scene",
    "Scoreboard",
    "Snapshot",
    "Stand",
    "Times",
    "TurnClock",
    "Wishes",
    "Words",
    "notice_of",
]
