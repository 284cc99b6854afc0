"""What everybody sees: one frozen snapshot, swapped whole, and who is told of a new one."""

from companion.scoreboard.choices import Choices
from companion.scoreboard.interpreter import Interpreter, Scene
from companion.scoreboard.notice import notice_of
from companion.scoreboard.snapshot import Choice, Eye, Lamps, Notice, PlayerLine, Snapshot, Words
from companion.scoreboard.telling import Listener, Scoreboard

__all__ = [
    "Choice",
    "Choices",
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
