"""What a real reader says about a deal: other light, the board pieces in another order."""

import numpy as np
import pytest

from tests.dealing import dealt
from tests.live.conftest import Table


def said(table: Table) -> str:
    table.deal()
    assert table.seen.notice is not None
    return " ".join(table.seen.notice.sentences)


@pytest.mark.long
def test_board_pieces_in_another_order_than_in_the_game_before_are_mentioned(table: Table) -> None:
    table.lay(dealt(table.camera, 11))
    assert "put together differently" in said(table)


@pytest.mark.long
def test_a_deal_in_half_the_light_is_said_to_be_darker(table: Table) -> None:
    table.device.picture = np.asarray(table.device.picture * 0.55, np.uint8)  # two stops of light are 0.53 in level
    assert "darker" in said(table)


@pytest.mark.long
def test_a_deal_in_the_light_of_the_teaching_is_neither_darker_nor_brighter(table: Table) -> None:
    heard = said(table)
    assert "darker" not in heard
    assert "brighter" not in heard
