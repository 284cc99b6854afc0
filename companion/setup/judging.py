"""What a table that was just taught finds hard: what looks alike, and what its reader misreads all the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from calibration import BoardView, Follower
from companion.setup.components import Component, on_cell
from companion.setup.doubts import Doubt, doubts
from companion.setup.together import Lesson
from vision.reader import Reader
from vision.tiles.selftest import SelfTest, self_test
from vision.tiles.teach import Taught


@dataclass(frozen=True, slots=True)
class Judged:
    """What can hardly be told apart, and what the reader misreads though it was just taught.

    `doubts` are about merchants, `tested` is about tiles.
    """

    doubts: tuple[Doubt, ...] = ()
    tested: SelfTest = field(default_factory=SelfTest)
    misread: tuple[Component, ...] = ()


def judge(whole: Lesson, taught: Taught, follower: Follower[BoardView]) -> Judged:
    """Return what is hard about the lesson, and what it teaches."""
    return Judged(doubts(taught), self_test(taught), _misread(whole, taught, follower))


def _misread(whole: Lesson, taught: Taught, follower: Follower[BoardView]) -> tuple[Component, ...]:
    """Return the components most of which the reader, taught so, reads otherwise than people said they are."""
    reader = Reader(taught, follower)
    reader.new_game(is_dealt=False)
    read = reader.read(whole.image)
    shown: Counter[Component] = Counter()
    wrong: Counter[Component] = Counter()
    for cell in whole.lying:
        taught_here = on_cell(whole.reading.contents(cell))
        shown.update(taught_here)
        if read.contents(cell) != whole.reading.contents(cell) and cell not in read.abstained:
            wrong.update(taught_here)
    return tuple(sorted((one for one, times in wrong.items() if 2 * times > shown[one]), key=str))
