"""kill -9 loses nothing that was announced; `make bench-kills` kills hundreds."""

import pytest

from bench.kills import kill


def test_killed_companions_lose_nothing_that_they_announced() -> None:
    found = kill(3, seed=5, presses=30)
    assert found.kills == 3
    assert found.announced > 0
    assert found.lost == 0
    assert found.astray == []


@pytest.mark.long
def test_twenty_killed_companions_lose_nothing_that_they_announced_and_every_game_goes_on() -> None:
    found = kill(20, seed=7, presses=60)
    assert found.kills == 20
    assert found.announced > 0
    assert found.damaged > 0
    assert found.lost == 0
    assert found.astray == []
