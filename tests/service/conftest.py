"""The loop over a fake camera and reader; session, referee, panel (on mock pins) and scoreboard are real."""

from collections.abc import Iterator

import pytest

from companion.scoreboard import Scoreboard
from companion.service import Eyes, Pace, Service
from hardware.panel import Panel
from hardware.pins import PanelPins, mock_factory
from tests.service.fake_table import GAME, Table


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def panel(table: Table) -> Iterator[Panel]:
    made = Panel(PanelPins(), mock_factory(), clock=table.clock)
    yield made
    made.close()


@pytest.fixture
def service(table: Table, panel: Panel) -> Service:
    return Service(Eyes(table, table, table), panel, Scoreboard(), GAME, pace=Pace(clock=table.clock))
