"""The panel's darkness: its lamps must not light the pictures that a press is judged on."""

from __future__ import annotations

from collections.abc import Callable

from companion.service.parts import Panel

#: How long the panel stays dark for a picture; then it is darkened anew for the next. Its own limit is longer.
DARK_S = 0.8


class Darkness:
    """Counts the pictures that were taken in the dark. Belongs to the loop's thread."""

    def __init__(self, panel: Panel, clock: Callable[[], float]) -> None:
        self._panel, self._clock = panel, clock
        self._since_s: float | None = None
        self.frames = 0

    def begin(self, since_s: float | None = None) -> None:
        """Darken the panel; `since_s`: it was done then already."""
        if since_s is None:
            self._panel.pause()
        self._since_s, self.frames = self._clock() if since_s is None else since_s, 0

    def count(self, taken_s: float, is_still: bool) -> None:
        """Note a picture that somebody waits for; where it got light again meanwhile, wait for the next still one."""
        if self._since_s is not None and self._clock() - self._since_s <= DARK_S:
            self.frames += taken_s > self._since_s
        elif is_still:
            self.begin()

    def end(self) -> None:
        """Let the panel go on with what it was playing."""
        self._panel.resume()
        self._since_s, self.frames = None, 0
