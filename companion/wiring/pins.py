"""The panel's settings -> its pins, the factory that drives them, and the panel.

`opened_factory` and `opened_panel` refuse what is not available, for testing the panel; `Pins` plays on without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from companion.board import BadInputError
from companion.settings import PanelSettings
from hardware.panel import Panel
from hardware.pins import PanelError, PanelPins, mock_factory, open_factory

#: What is said if the settings ask for pins that are not available: a code of TROUBLES.
NO_PINS = "pins"

_log = logging.getLogger(__name__)


def panel_pins(panel: PanelSettings) -> PanelPins:
    """Return which pin carries what; raises BadInputError for a pin that the header lacks, or that is named twice."""
    try:
        return PanelPins(
            status=(panel.red, panel.green, panel.blue),
            turn={
                "black": panel.turn_black,
                "grey": panel.turn_grey,
                "yellow": panel.turn_yellow,
                "red": panel.turn_red,
            },
            buzzer=panel.buzzer,
            button=panel.button,
            status_active_high=panel.status_active_high,
            turn_active_high=panel.turn_active_high,
            buzzer_is_tonal=panel.buzzer_is_tonal,
            buzzer_active_high=panel.buzzer_active_high,
            button_pulls_up=panel.button_pulls_up,
        )
    except PanelError as error:
        raise BadInputError(f"panel: {error}") from None


def opened_factory(panel: PanelSettings) -> tuple[Any, bool]:
    """Return the pin factory and whether its pins are real; raises BadInputError if there are none."""
    try:
        return open_factory(panel.pins)
    except (ImportError, OSError) as error:
        raise BadInputError(
            f"panel.pins is {panel.pins!r}, and there are none ({error}); "
            "install python3-lgpio on a Pi, or set it to mock where there is no panel"
        ) from None


def opened_panel(
    pins: PanelPins,
    factory: Any,
    on_press: Callable[[], None],
    on_hold: Callable[[], None] | None = None,
    on_release: Callable[[], None] | None = None,
) -> Panel:
    """Return the panel, to be entered by `with`; raises BadInputError if another program has one of its pins."""
    try:
        return Panel(pins, factory, on_press, on_hold=on_hold, on_release=on_release)
    except PanelError as error:
        raise BadInputError(
            f"panel: {error}; Strada's own service has them while it runs: sudo systemctl stop strada"
        ) from None


class Pins:
    """The pins of a companion: those that its settings ask for or, if they are not available, simulated ones.

    A game goes on without lamps; `trouble` is then NO_PINS. `is_safe`: real ones are not even tried. Raises
    BadInputError for settings that no panel could have.
    """

    def __init__(self, panel: PanelSettings, is_safe: bool = False) -> None:
        self.wired, self.trouble = panel_pins(panel), ""
        self.factory, self.are_real = mock_factory(), False
        if is_safe:
            return
        try:
            self.factory, self.are_real = opened_factory(panel)
        except BadInputError as error:
            self._do_without(error)

    def opened(
        self, on_press: Callable[[], None], on_hold: Callable[[], None], on_release: Callable[[], None]
    ) -> Panel:
        """Return the panel, to be entered by `with`."""
        try:
            return opened_panel(self.wired, self.factory, on_press, on_hold, on_release)
        except BadInputError as error:
            self._do_without(error)
        return opened_panel(self.wired, self.factory, on_press, on_hold, on_release)

    def _do_without(self, error: BadInputError) -> None:
        _log.warning("the panel is simulated: %s", error)
        self.factory, self.are_real, self.trouble = mock_factory(), False, NO_PINS
