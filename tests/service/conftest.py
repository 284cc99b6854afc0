"""The loop over a fake camera and reader; session, referee, panel (on mock pins) and scoreboard are real."""

from collections.abc import Iterator

import pytest

from hardware.panel import Panel
from hardware.pins import PanelPins, mock_factory
from tests.service.fake_table import Loop, Table


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def panel(table: Table) -> Iterator[Panel]:
    made = Panel(PanelPins(), mock_factory(), clock=table.clock)
    yield made
    made.close()


@pytest.fixture
def loop(table: Table, panel: Panel) -> Loop:
    return Loop(table, panel)
