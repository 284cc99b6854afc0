"""The logbook, opened as the settings say."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from companion.events import Event
from companion.logbook import Logbook, Trouble
from companion.service.parts import Seen
from companion.session import State
from companion.settings import Settings
from companion.wiring.choices import kept_in


def opened_logbook(
    stack: ExitStack, settings: Settings, table: str, beat: Callable[[], None], progress: Callable[[], None]
) -> tuple[Logbook, Path]:
    """Open the logbook until the stack is left; return it and its folder. `table` is that of the games in it.

    The writer calls `beat` while it lives; who puts a damaged file right, `progress` whenever that got on.
    What happens at a drawn table is kept for as long as it is drawn, unless a folder says so. Raises BadInputError for
    a logbook that another companion writes, or that is none of ours.
    """
    folder = kept_in(settings) or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strada-logbook-")))
    most_bytes = settings.logbook.pictures_mb * 1024**2
    logbook = stack.enter_context(
        Logbook(folder, table, encode=_encoded, picture_bytes=most_bytes, beat=beat, progress=progress)
    )
    return logbook, folder


class WithoutPictures:
    """A logbook that is given no pictures: there is nothing on them."""

    def __init__(self, logbook: Logbook) -> None:
        self._logbook = logbook

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing can be kept now; None where all is well."""
        return self._logbook.trouble

    def record(self, events: Sequence[Event], state: State, sight: Seen | None = None, who: str = "") -> None:
        """Keep what happened."""
        self._logbook.record(events, state, None, who)


def _encoded(image: Any) -> bytes:
    # OpenCV is loaded with the first picture: people see where they were long before.
    from companion.system.pictures import jpeg  # noqa: PLC0415

    return jpeg(image)
