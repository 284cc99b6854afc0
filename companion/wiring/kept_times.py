"""The times of the game that is timed, in a file beside the logbook: a restart takes none of them away."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from companion.board import BadInputError, player_color
from companion.board.fields import mapping, text
from companion.scoreboard import Kept
from companion.system.durable import contents, write_whole

#: What it is called among the data, and how long it is at most.
FILE, MOST_BYTES = "turn-clock.json", 4096

#: Nobody plays for longer: a month.
MOST_S = 31 * 24 * 3600.0

_log = logging.getLogger(__name__)


class KeptTimes:
    """Keeps the times in that folder; where it cannot be written, a restart begins them anew."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._has_failed = False

    def read(self) -> Kept | None:
        """Return what was kept; None for nothing, or where it is damaged."""
        try:
            found = mapping(json.loads(contents(self._path, MOST_BYTES)), FILE)
            totals = mapping(found.get("totals_s"), "totals_s")
            return Kept(
                text(found, "game", "a word for a game"),
                {player_color(name): _seconds(each) for name, each in totals.items()},
            )
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, kept: Kept | None) -> None:
        """Keep that; None: forget what was kept."""
        try:
            if kept is None:
                self._path.unlink(missing_ok=True)
                return
            totals = {str(color): round(each, 1) for color, each in kept.totals_s.items()}
            write_whole(self._path, json.dumps({"game": kept.game, "totals_s": totals}).encode())
        except OSError as error:
            if not self._has_failed:
                _log.warning("%s cannot be written (%s): a restart begins the times anew", self._path, error.strerror)
            self._has_failed = True


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_S:
        raise BadInputError(f"{FILE}: {value!r:.40} is no time that anybody plays")
    return float(value)
