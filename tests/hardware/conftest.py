"""The real panel code on gpiozero's mock pins."""

from collections.abc import Iterator

import pytest

from hardware.panel import Panel
from hardware.pins import mock_factory
from tests.clock import Clock
from tests.hardware.mock_panel import PINS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def panel(clock: Clock, told: list[str]) -> Iterator[Panel]:
    made = Panel(
        PINS,
        mock_factory(),
        lambda: told.append("done"),
        clock,
        on_hold=lambda: told.append("hold"),
        on_release=lambda: told.append("release"),
    )
    yield made
    made.close()
