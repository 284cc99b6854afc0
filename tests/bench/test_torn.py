"""What the replay of torn logbooks calls a loss."""

import pytest

from bench.torn import torn
from companion.logbook import salvaging


@pytest.mark.long
def test_a_torn_logbook_loses_nothing_that_still_lies_there() -> None:
    found = torn(4, seed=2, presses=60)
    assert (found.trials, found.gone, found.silent) == (4, 0, 0)


@pytest.mark.long
def test_rows_that_are_not_looked_for_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvaging, "_with_a_new_beginning", lambda file, columns: iter(()))
    monkeypatch.setattr(salvaging, "_page_by_page", lambda file, columns: iter(()))
    found = torn(12, seed=2, presses=60)
    assert found.silent > 0
