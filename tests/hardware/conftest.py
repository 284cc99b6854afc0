"""The real panel code on gpiozero's mock pins, and what is said of cameras that are lost."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from hardware.camera import CameraLostError, Trouble
from hardware.panel import Panel
from hardware.pins import mock_factory
from tests.clock import Clock
from tests.hardware.mock_panel import PINS


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def panel(clock: Clock, told: list[str]) -> Iterator[Panel]:
    done, hold, release = (partial(told.append, word) for word in ("done", "hold", "release"))
    made = Panel(PINS, mock_factory(), done, clock, on_hold=hold, on_release=release)
    yield made
    made.close()


def lost_with(trouble: Trouble, step: Callable[..., object], *given: object) -> str:
    """Return what is said when a step finds that the camera is lost, with that trouble."""
    with pytest.raises(CameraLostError) as lost:
        step(*given)
    assert lost.value.trouble is trouble
    return str(lost.value)
