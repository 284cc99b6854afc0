"""Examples of tiles from games, kept with the table that they are of."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from companion.board import BadInputError
from companion.events import Event, GameOver
from companion.system.durable import write_whole
from vision.reader import Reader

#: Their file in the table's folder.
FILE = "examples.npz"

_log = logging.getLogger(__name__)


def take_up(reader: Reader, folder: Path) -> None:
    """Give a reader the examples of earlier evenings; where they are damaged, or of another set-up, it does without."""
    try:
        reader.growing.read((folder / FILE).read_bytes())
    except FileNotFoundError:
        pass
    except (OSError, BadInputError) as error:
        _log.warning("%s: %s; the table is read as it was taught", folder / FILE, error)


class KeptExamples:
    """Writes a reader's examples down whenever a game is over, and at the end. The loop's thread owns it."""

    def __init__(self, reader: Reader, folder: Path) -> None:
        self._reader, self._path = reader, folder / FILE
        self._kept = reader.growing.examples

    def witness(self, events: Iterable[Event]) -> None:
        """Keep them if a game is over."""
        if any(isinstance(event, GameOver) for event in events):
            self.keep()

    def keep(self) -> None:
        """Write them down, if there are new ones; where the disk takes nothing the game goes on all the same."""
        if self._reader.growing.examples == self._kept:
            return
        try:
            write_whole(self._path, self._reader.growing.to_bytes())
            self._kept = self._reader.growing.examples
        except OSError as error:
            _log.warning("examples of this evening's tiles were not kept: %s", error)
