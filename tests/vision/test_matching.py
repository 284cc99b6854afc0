"""Patches are compared pixel by pixel, one laid over the other as well as it fits."""

import cv2
import numpy as np
import pytest

from companion.board import HexCell, Settlement
from tests.vision.conftest import DrawnTable
from vision.light.flatten import Image
from vision.tiles.matching import matched
from vision.tiles.patches import PATCH_PX, Levels

DEAL = 11
BARS = (1, 2, 3, 4)
#: One as it is, and one that is another: this much alike at least, and at most.
SAME, OTHER = 0.92, 0.9


def shield(bars: int, degrees: float = 0.0, off: tuple[int, int] = (0, 0)) -> Image:
    """A coat of arms with bars, as a tile that was turned and lies off the middle of its cell."""
    picture = np.full((PATCH_PX, PATCH_PX, 3), (120, 170, 190), np.uint8)
    middle = PATCH_PX // 2
    cv2.rectangle(picture, (middle - 13, middle - 15), (middle + 13, middle + 8), (235, 235, 240), -1)
    cv2.ellipse(picture, (middle, middle + 8), (13, 9), 0, 0, 180, (235, 235, 240), -1)
    for bar in range(bars):
        top = middle - 13 + 6 * bar
        cv2.rectangle(picture, (middle - 12, top), (middle + 12, top + 2), (80, 20, 100), -1)
    turn = cv2.getRotationMatrix2D((middle - 0.5, middle - 0.5), degrees, 1.0)
    turn[:, 2] += off
    turned = cv2.warpAffine(picture, turn, (PATCH_PX, PATCH_PX), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(turned, (0, 0), 1.0), np.uint8)


def match(first: Image, second: Image) -> float:
    return float(matched(np.array([first, second]), [(0, 1)])[0])


@pytest.mark.parametrize("bars", BARS)
@pytest.mark.parametrize("degrees", [0, 60, 180, -120, 7, 65])
@pytest.mark.parametrize("off", [(0, 0), (5, -4)], ids=["in the middle", "askew"])
def test_the_same_print_matches_however_it_is_turned_and_lies(bars: int, degrees: int, off: tuple[int, int]) -> None:
    seen = shield(bars, degrees, off)
    assert match(shield(bars), seen) > SAME
    assert all(match(shield(other), seen) < OTHER for other in BARS if other != bars)


def test_half_the_light_on_one_side_makes_little_difference() -> None:
    shade = np.linspace(0.5, 1.0, PATCH_PX)[:, None, None]
    assert match(shield(3), (shield(3, 60) * shade).astype(np.uint8)) > SAME
    assert match(shield(4), (shield(3, 60) * shade).astype(np.uint8)) < OTHER


def test_each_pair_has_the_same_match_whichever_comes_first() -> None:
    patches = np.array([shield(bars, 10 * bars) for bars in BARS])
    pairs = [(first, second) for first in range(4) for second in range(4) if first != second]
    assert np.array_equal(matched(patches, pairs), matched(patches, [(second, first) for first, second in pairs]))


def test_what_shows_nothing_is_no_reason_to_fail() -> None:
    plain: Levels = np.full((2, PATCH_PX, PATCH_PX, 3), 128, np.uint8)
    assert np.isfinite(matched(plain, [(0, 1)])).all()


def test_settlements_of_a_deal_match_those_of_their_kind_best(drawn: DrawnTable) -> None:
    dealt = {cell: lies.tile for cell, lies in drawn.deal(DEAL).items() if isinstance(lies.tile, Settlement)}
    last = drawn.reader_of_deal(DEAL)._last
    assert last is not None
    cells: list[HexCell] = list(dealt)
    pairs = [(first, second) for second in range(len(cells)) for first in range(second)]
    matches = matched(last.fine.patches(cells), pairs)
    of_a_kind = np.array([dealt[cells[first]] == dealt[cells[second]] for first, second in pairs])
    assert np.median(matches[of_a_kind]) > np.quantile(matches[~of_a_kind], 0.9)
