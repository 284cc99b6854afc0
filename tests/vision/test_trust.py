"""Trust: a probability from evidence, only for the evidence that it was fitted to."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from companion.board import BadInputError, Color, Contents, Road, Terrain
from simulator import Hand
from tests.vision.conftest import DrawnTable, wrong
from vision.memory import KnownCell
from vision.tiles.trust import ENOUGH, FARTHEST, FEATURES, Trust, shipped

ROWS = arrays.arrays(np.float32, (5, len(FEATURES)), elements=st.floats(-1e6, 1e6, width=32))
NUMBERS = arrays.arrays(np.int64, 5, elements=st.integers(0, 2))
CELLS = NUMBERS.map(lambda cells: np.unique(cells, return_inverse=True)[1])


@given(ROWS, CELLS)
def test_a_cells_answers_leave_something_for_the_rest(rows: NDArray[np.float32], cells: NDArray[np.int64]) -> None:
    shares = shipped().probabilities(rows, cells)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert (np.bincount(cells, shares) <= 1 + 1e-9).all()


@given(ROWS)
def test_an_answer_is_less_likely_beside_another_than_alone(rows: NDArray[np.float32]) -> None:
    alone = shipped().probabilities(rows, np.arange(5))
    together = shipped().probabilities(rows, np.zeros(5, np.int64))
    assert (together <= alone + 1e-12).all()


def test_evidence_far_from_all_examples_counts_no_more_than_the_farthest() -> None:
    trust, one = shipped(), np.zeros(1, np.int64)
    far = (trust.mean + (FARTHEST + 1) * trust.scale).astype(np.float32)
    farther = (trust.mean + 100 * trust.scale).astype(np.float32)
    assert trust.probabilities(far[None], one) == pytest.approx(trust.probabilities(farther[None], one))


def test_trust_is_written_and_read() -> None:
    trust, cells = shipped(), np.arange(20) // 3
    again = Trust.from_json(json.loads(json.dumps(trust.to_json())))
    rows = np.random.default_rng(1).normal(0, 1, (20, len(FEATURES))).astype(np.float32)
    assert again.probabilities(rows, cells) == pytest.approx(trust.probabilities(rows, cells), abs=1e-3)


def test_weights_fitted_to_other_evidence_are_refused() -> None:
    value = shipped().to_json()
    value["features"] = [*value["features"][1:], "smell"]
    with pytest.raises(BadInputError, match="fit them anew"):
        Trust.from_json(value)


def test_a_clear_cell_stays_clear_only_while_it_is_trusted() -> None:
    clear = KnownCell(Contents(), 0.99, (), is_clear=True, tile_is_clear=True)
    assert clear.trusted(ENOUGH, ENOUGH) == replace(clear, confidence=ENOUGH)
    doubted = clear.trusted(ENOUGH - 0.01, ENOUGH)
    assert (doubted.is_clear, doubted.tile_is_clear) == (False, False)


def test_a_doubt_about_the_tile_that_lay_there_leaves_it_known_and_one_about_another_asks_about_both() -> None:
    road = Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
    before = KnownCell(road, 0.99, (), is_clear=True, tile_is_clear=True)
    seen = KnownCell(road, 0.9, (Contents(),), is_clear=True, tile_is_clear=True)
    again = seen.trusted(0.4, ENOUGH, before)
    assert (again.contents, again.is_clear, again.tile_is_clear) == (road, False, True)
    gone = replace(seen, contents=Contents(), alternatives=(road,)).trusted(0.4, ENOUGH, before)
    assert (gone.contents, gone.is_clear, gone.alternatives) == (road, False, (Contents(), road))
    assert gone.reading(None, None).alternatives == (Contents(), road), "likeliest first"


@pytest.mark.long
@pytest.mark.parametrize("hand", [Hand(0.0, 0.0, 0.0, 0), Hand(2.0, 1.0, -1.4, 9), Hand(-2.0, 3.0, 1.5, 4)])
def test_without_memory_a_hand_hides_hardly_more_than_it_covers(drawn: DrawnTable, hand: Hand) -> None:
    scene = replace(drawn.dealt(6), hand=hand)
    reading = drawn.reader(is_dealt=False).read(drawn.camera.picture(scene))
    truth = drawn.camera.truth(scene)
    assert len(truth.occluded) > 10
    assert len(reading.abstained - truth.occluded) <= 12
    assert len(wrong(reading, scene, [cell for cell in scene.board.cells if cell not in truth.occluded])) <= 1
    assert len(wrong(reading, scene, list(truth.occluded))) <= 1
