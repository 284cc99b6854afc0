"""What everybody sees: one frozen snapshot, swapped whole, and who is told of a new one."""

from companion.scoreboard.choices import Choices
from companion.scoreboard.notice import notice_of
from companion.scoreboard.snapshot import Choice, Eye, Lamps, Notice, PlayerLine, Snapshot
from companion.scoreboard.telling import Listener, Scoreboard

__all__ = [
    "Choice",
    "Choices",
    "Eye",
    "Lamps",
    "Listener",
    "Notice",
    "PlayerLine",
    "Scoreboard",
    "Snapshot",
    "notice_of",
]
