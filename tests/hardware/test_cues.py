from itertools import pairwise

import pytest

from hardware.cues import CUES, DARK, ILLEGAL, LEGAL, Cue

ALL = sorted(CUES.values(), key=lambda cue: cue.name)


@pytest.mark.parametrize("cue", ALL, ids=lambda cue: cue.name)
def test_every_cue_ends_within_five_seconds(cue: Cue) -> None:
    assert 0 < cue.seconds <= 5
    assert cue.at(cue.seconds) is None


@pytest.mark.parametrize("cue", ALL, ids=lambda cue: cue.name)
def test_a_cue_changes_only_at_its_steps(cue: Cue) -> None:
    starts = (0.0, *cue.steps_s)
    for start_s, end_s in pairwise(starts):
        nearly_s = end_s - 1e-6
        assert cue.at((start_s + end_s) / 2) == cue.at(nearly_s)


def test_cues_are_told_apart_without_colour() -> None:
    rhythms = {(tuple(f.seconds for f in cue.light), tuple(n.seconds for n in cue.tune)) for cue in ALL}
    assert len(rhythms) == len(ALL)


def test_legal_is_steady_and_illegal_blinks() -> None:
    assert {flash.colour for flash in LEGAL.light} == {LEGAL.light[0].colour}
    assert DARK in {flash.colour for flash in ILLEGAL.light}
