"""Boards with a broad printed rim: right clicks are accepted, clicks that are some cells off are asked about."""

import numpy as np
import pytest

from calibration import BoardView, Doubtful, align, locate
from companion.board import BadInputError, HexCell
from tests.calibration.drawn import Scene, drawn, table_only, true_view
from tests.calibration.rims import OUTLINES, PATTERNS, Rim, beside, rimmed, tilted_view

#: What misled the rim's own test: bands whose edges stand out more than the cells' outer borders.
MISLEADING = {
    "dark lines into a dark band": Rim(0.6, "dark", "jagged"),
    "pale teeth": Rim(0.8, "teeth", "straight"),
    "a line half a cell beside": Rim(0.6, "line", "jagged"),
    "no lines, and teeth": Rim(0.8, "teeth", "jagged", "none"),
}


def asked(found: BoardView | Doubtful) -> Doubtful:
    assert isinstance(found, Doubtful), "the board was found without a doubt"
    return found


@pytest.fixture(scope="module")
def plain() -> Scene:
    return rimmed(tilted_view(4, tilt=0.06), Rim(0.8))


@pytest.mark.long
@pytest.mark.parametrize("rim", MISLEADING.values(), ids=MISLEADING)
def test_right_clicks_win_over_a_rim_that_suggests_otherwise(rim: Rim) -> None:
    scene = rimmed(tilted_view(4, tilt=0.1, turn=-8), rim)
    assert scene.rms_px(align(scene.image, scene.clicks(8), 4)) < 1.0


@pytest.mark.long
@pytest.mark.parametrize("borders", ["lines", "none", "gaps"])
@pytest.mark.parametrize("outline", OUTLINES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_board_with_a_broad_rim_is_found_and_its_miscounted_clicks_are_not(
    pattern: str, outline: str, borders: str
) -> None:
    rng = np.random.default_rng(len(pattern) + 10 * len(outline) + 100 * len(borders))
    width, tilt, turn = rng.choice([0.35, 0.8, 1.2]), rng.choice([0.0, 0.06, 0.12]), rng.uniform(-15, 15)
    scene = rimmed(tilted_view(6, tilt, turn), Rim(float(width), pattern, outline, borders))
    found = locate(scene.image, scene.clicks(8), 6)
    # Another row of cells, seen in part, may be asked about, but then the clicks' own grid is among the answers.
    assert scene.rms_px(found.clicked if isinstance(found, Doubtful) else found) < 1.0
    assert isinstance(found, BoardView) or pattern == "cells"
    q, r = ((1, 0), (0, -1), (-1, 1))[rng.integers(3)]
    doubt = asked(locate(scene.image, beside(scene, q, r, 5), 6))
    if pattern != "cells":  # a row of cells printed on the rim may pass for the board's own: then people see it
        assert doubt.middle == HexCell(-q, -r)
        assert scene.rms_px(doubt.beside) < 1.0


@pytest.mark.parametrize(
    ("q", "r", "steps", "said"),
    [
        (1, 0, 1, "one cell to the left of the clicks"),
        (-1, 2, 2, "two cells above the clicks"),
        pytest.param(3, 0, 3, "3 cells to the left of the clicks", marks=pytest.mark.long),
    ],
)
def test_clicks_some_cells_beside_are_asked_about_with_both_places(
    plain: Scene, q: int, r: int, steps: int, said: str
) -> None:
    doubt = asked(locate(plain.image, beside(plain, q, r, 4), 4))
    assert (doubt.middle, doubt.steps) == (HexCell(-q, -r, 4), steps)
    assert plain.rms_px(doubt.beside) < 1.0
    aside = plain.view.side_px * np.hypot(*HexCell(q, r).centre)
    assert plain.rms_px(doubt.clicked) == pytest.approx(aside, rel=0.05)
    assert said in str(doubt)


@pytest.mark.long
def test_a_rim_of_further_cells_does_not_hide_clicks_beside() -> None:
    scene = rimmed(tilted_view(4), Rim(1.2, "cells", "jagged"))
    assert isinstance(locate(scene.image, scene.clicks(6), 4), BoardView)
    assert asked(locate(scene.image, beside(scene, 0, 1, 6), 4)).middle == HexCell(0, -1, 4)


@pytest.mark.long
def test_what_a_person_said_is_not_doubted_again(plain: Scene) -> None:
    clicks = beside(plain, 1, 0)
    doubt = asked(locate(plain.image, clicks, 4))
    kept = align(plain.image, clicks, 4, confirmed=True)
    assert kept.centres_px == doubt.clicked.centres_px
    taken = {cell: doubt.beside.centres_px[cell] for cell in clicks}
    assert plain.rms_px(align(plain.image, taken, 4, confirmed=True)) < 1.0


def test_where_only_one_view_is_wanted_a_doubt_says_how_to_settle_it(plain: Scene) -> None:
    with pytest.raises(BadInputError, match=r"one cell to the left .*--overlay.*clicks_confirmed") as refused:
        align(plain.image, beside(plain, 1, 0), 4)
    assert refused.value.code == "board-doubtful"


def test_a_bare_table_is_no_board_whatever_a_person_said() -> None:
    scene = drawn(true_view(4))
    for confirmed in (False, True):
        with pytest.raises(BadInputError, match=r"only \d+% of the board's rim is seen .* of its cells' borders"):
            align(table_only(), scene.clicks(), 4, confirmed=confirmed)


@pytest.mark.long
@pytest.mark.parametrize(("q", "r"), [(1, 0), (-1, 1), (0, -2)])
def test_a_board_in_a_wooden_frame_is_asked_about_too(q: int, r: int) -> None:
    scene = drawn(true_view(6))
    assert asked(locate(scene.image, beside(scene, q, r), 6)).middle == HexCell(-q, -r)
