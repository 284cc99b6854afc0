"""Trust: a probability from evidence, of the evidence that it was fitted to and no other."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from companion.board import BadInputError, Color, Contents, Road, Terrain
from companion.virtual_table import Hand
from tests.vision.conftest import DrawnTable, wrong
from vision.evidence import FEATURES
from vision.memory import Known
from vision.trust import ENOUGH, FARTHEST, SURELY, Trust, shipped


@given(arrays.arrays(np.float32, (3, len(FEATURES)), elements=st.floats(-1e6, 1e6, width=32)))
def test_any_evidence_gives_a_probability(rows: np.ndarray) -> None:
    shares = shipped().probabilities(rows)
    assert ((shares >= 0) & (shares <= 1)).all()


def test_evidence_far_from_all_examples_counts_no_more_than_the_farthest() -> None:
    trust = shipped()
    far = (trust.mean + (FARTHEST + 1) * trust.scale).astype(np.float32)
    farther = (trust.mean + 100 * trust.scale).astype(np.float32)
    assert trust.probabilities(far[None]) == pytest.approx(trust.probabilities(farther[None]))


def test_trust_is_written_and_read() -> None:
    trust = shipped()
    again = Trust.from_json(json.loads(json.dumps(trust.to_json())))
    rows = np.random.default_rng(1).normal(0, 1, (20, len(FEATURES))).astype(np.float32)
    assert again.probabilities(rows) == pytest.approx(trust.probabilities(rows), abs=1e-3)


def test_weights_fitted_to_other_evidence_are_refused() -> None:
    value = shipped().to_json()
    value["features"] = [*value["features"][1:], "smell"]
    with pytest.raises(BadInputError, match="fit them anew"):
        Trust.from_json(value)


def test_a_clear_cell_stays_clear_only_while_it_is_trusted() -> None:
    clear = Known(Contents(), 0.99, (), is_clear=True, tile_is_clear=True)
    assert clear.trusted(ENOUGH, ENOUGH, SURELY) == replace(clear, confidence=ENOUGH)
    doubted = clear.trusted(ENOUGH - 0.01, ENOUGH, SURELY)
    assert (doubted.is_clear, doubted.tile_is_clear) == (False, False)


def test_what_the_reader_doubts_is_clear_only_where_it_is_surely_so() -> None:
    unclear = Known(Contents(), 0.5, (), is_clear=False, tile_is_clear=True)
    assert not unclear.trusted(SURELY - 0.01, ENOUGH, SURELY).is_clear
    assert unclear.trusted(SURELY, ENOUGH, SURELY).is_clear


def test_a_doubt_about_the_tile_that_lay_there_leaves_it_known_and_one_about_another_does_not() -> None:
    road = Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)))
    before = Known(road, 0.99, (), is_clear=True, tile_is_clear=True)
    doubted = Known(road, 0.5, (Contents(),), is_clear=False, tile_is_clear=False)
    again = doubted.trusted(0.4, ENOUGH, SURELY, before)
    assert (again.contents, again.is_clear, again.tile_is_clear) == (road, False, True)
    assert not doubted.trusted(0.4, ENOUGH, SURELY).tile_is_clear
    assert not replace(doubted, contents=Contents()).trusted(0.4, ENOUGH, SURELY, before).tile_is_clear


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
