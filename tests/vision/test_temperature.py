"""How sure the nets are of settlements: less so at a table where they take taught copies for another kind."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.board import Color, Settlement, SettlementType, Workshop
from tests.vision.conftest import CITY, TOWN, DrawnTable
from tests.vision.test_selftest import printed_as
from vision.tiles.exemplars import TURNS, Exemplars
from vision.tiles.left_out import temperature
from vision.tiles.opinion import COLORS, LEAST_LOG, MOST_COUNTED, Opinion, log_softmax

TILES = (*(Settlement(kind) for kind in SettlementType), Workshop(Color.RED), None)


pytestmark = pytest.mark.usefixtures("nets_look_once")


def settlements_only(exemplars: Exemplars) -> Exemplars:
    """Return only the taught settlements: nothing else is asked about."""
    kept = [look for look, tile in enumerate(exemplars.tiles) if isinstance(tile, Settlement)]
    return replace(
        exemplars,
        tiles=tuple(exemplars.tiles[look] for look in kept),
        patches=exemplars.patches[kept],
        hidden=exemplars.hidden[kept],
        covers=exemplars.covers[kept],
        temperature=1.0,
    )


def opinion_of(odds: list[float]) -> Opinion:
    logs = log_softmax(np.array(odds, np.float32))
    counts = np.full((len(TILES), len(COLORS), MOST_COUNTED + 1), -2.0, np.float32)
    numbers = np.zeros(len(TILES), np.float32)
    return Opinion(TILES, numbers, numbers, logs.copy(), logs.copy(), logs, counts).renamed(logs)


def chance(opinion: Opinion, kind: object) -> float:
    return math.exp(float(opinion.logs[opinion.tiles.index(kind)]))


def test_a_table_that_tells_its_settlements_apart_is_believed(drawn: DrawnTable) -> None:
    assert drawn.taught.exemplars.temperature == temperature(
        settlements_only(drawn.taught.exemplars), drawn.taught.look
    )
    assert drawn.taught.exemplars.temperature < 1.5


def test_a_table_on_which_two_kinds_look_alike_is_believed_less(drawn: DrawnTable) -> None:
    alike = settlements_only(printed_as(drawn.taught.exemplars, CITY, TOWN))
    assert temperature(alike, drawn.taught.look) > 1.5 * drawn.taught.exemplars.temperature


def test_kinds_that_were_taught_once_say_nothing(drawn: DrawnTable) -> None:
    several = settlements_only(printed_as(drawn.taught.exemplars, CITY, TOWN))
    first = {tile: several.tiles.index(tile) for tile in dict.fromkeys(several.tiles)}
    kept = [look + turn for look in first.values() for turn in range(len(TURNS))]
    once_each = replace(
        several,
        tiles=tuple(several.tiles[look] for look in kept),
        patches=several.patches[kept],
        hidden=several.hidden[kept],
        covers=several.covers[kept],
    )
    assert temperature(once_each, drawn.taught.look) == 1.0


@given(st.lists(st.floats(-6, 6), min_size=len(TILES), max_size=len(TILES)), st.floats(1.0, 10.0))
def test_only_which_settlement_it_is_becomes_less_sure(odds: list[float], value: float) -> None:
    before = opinion_of(odds)
    after = before.tempered(value)
    settlements = [tile for tile in TILES if isinstance(tile, Settlement)]
    together = [sum(chance(one, kind) for kind in settlements) for one in (before, after)]
    assert together[1] == pytest.approx(together[0], abs=len(settlements) * math.exp(LEAST_LOG))
    for tile in (Workshop(Color.RED), None):
        assert chance(after, tile) == pytest.approx(chance(before, tile), rel=1e-4)
    order = sorted(settlements, key=lambda kind: chance(before, kind))
    assert max(chance(after, kind) for kind in settlements) <= max(chance(before, kind) for kind in settlements) + 1e-4
    assert chance(after, order[-1]) >= max(chance(after, kind) for kind in order[:-1]) - 1e-6


def test_at_temperature_1_nothing_changes() -> None:
    one = opinion_of([1.0, 0.5, -2.0, 0.0, -1.0, 3.0])
    assert one.tempered(1.0) is one
