"""The keeper's PIN, shown to those who stand at the table and to nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

from companion.scoreboard import Scoreboard
from companion.web import Keepers

#: Where there is no button to hold, the PIN is shown for so long after a start: who can pull the plug is at the table.
SHOWN_S = 120.0


class ShownPin:
    """Shows the PIN on scoreboards and by `tell`, which is told "" where it goes again. Any thread may call it."""

    def __init__(self, scoreboard: Scoreboard, keepers: Keepers, tell: Callable[[str], None]) -> None:
        self._scoreboard, self._keepers, self._tell = scoreboard, keepers, tell

    def show(self) -> None:
        """Show it, for as long as somebody holds the button."""
        self._say(self._keepers.pin)

    def hide(self) -> None:
        """Show it no more."""
        self._say("")

    def hold(self, is_down: bool) -> None:
        """Show it while the button is down."""
        (self.show if is_down else self.hide)()

    def show_for_a_while(self, stack: ExitStack) -> None:
        """Show it now, for `SHOWN_S`, or until the stack is left."""
        self.show()
        letting_go = threading.Timer(SHOWN_S, self.hide)
        letting_go.daemon = True
        letting_go.start()
        stack.callback(self.hide)
        stack.callback(letting_go.cancel)

    def _say(self, pin: str) -> None:
        self._scoreboard.show_pin(pin)
        self._tell(pin)
