from collections.abc import Iterable
from itertools import combinations, groupby, pairwise
from operator import itemgetter

import numpy as np
import pytest

from hardware.cues import CUES, DARK, GLOWS, ILLEGAL, LEGAL, LEGAL_GLOW, Cue, Glow
from hardware.panel import Panel
from hardware.pins import PanelPins, mock_factory

ALL = sorted(CUES.values(), key=lambda cue: cue.name)
LASTING = sorted(GLOWS.values(), key=lambda glow: glow.name)

#: Glows are compared for so long, in steps of so long: whole periods of most of them, and shorter than any flash.
WATCHED_S, STEP_S = 12.0, 0.02


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


@pytest.mark.parametrize("cue", ALL, ids=lambda cue: cue.name)
def test_the_buzzer_can_play_every_note(cue: Cue) -> None:
    with Panel(PanelPins(), mock_factory()) as panel:
        low, high = panel._buzzer.min_tone.frequency, panel._buzzer.max_tone.frequency
    assert all(low <= note.hz <= high for note in cue.tune if note.hz is not None)


def bursts_s(parts: Iterable[tuple[bool, float]]) -> list[float]:
    """How long each stretch of light or sound lasts, as for eyes that see no colour and a buzzer with one pitch."""
    return [sum(seconds for _, seconds in run) for is_on, run in groupby(parts, key=itemgetter(0)) if is_on]


def are_told_apart(one: list[float], other: list[float]) -> bool:
    """By their number, or because one lasts half as long again, which is noticed; a tenth longer is not."""
    if len(one) != len(other):
        return True
    return any(max(a, b) >= 1.5 * min(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("one", "other"), combinations(ALL, 2), ids=lambda cue: cue.name)
def test_cues_are_told_apart_without_colour_without_pitch_and_without_one_of_eye_and_ear(one: Cue, other: Cue) -> None:
    lights = [bursts_s((flash.colour != DARK, flash.seconds) for flash in cue.light) for cue in (one, other)]
    tunes = [bursts_s((note.hz is not None, note.seconds) for note in cue.tune) for cue in (one, other)]
    assert are_told_apart(*lights)
    assert are_told_apart(*tunes)
    assert [note.hz for note in one.tune] != [note.hz for note in other.tune]


def test_legal_is_steady_and_illegal_blinks() -> None:
    assert {flash.colour for flash in LEGAL.light} == {LEGAL.light[0].colour}
    assert DARK in {flash.colour for flash in ILLEGAL.light}


@pytest.mark.parametrize("glow", LASTING, ids=lambda glow: glow.name)
def test_a_glow_repeats_and_changes_only_when_it_says(glow: Glow) -> None:
    elapsed_s = 0.01
    while elapsed_s < 3 * glow.seconds:
        assert glow.at(elapsed_s) == glow.at(elapsed_s + glow.seconds)
        next_s = glow.next_s(elapsed_s)
        if next_s is None:
            assert len(glow.rhythm) == 1
            return
        assert glow.at(elapsed_s) == glow.at(next_s - 0.01) != glow.at(next_s + 0.01)
        elapsed_s = next_s + 0.01


@pytest.mark.parametrize("glow", LASTING, ids=lambda glow: glow.name)
def test_a_glow_never_stands_still_however_the_sums_come_out(glow: Glow) -> None:
    for period in range(1, 5000):
        elapsed_s = period * glow.seconds
        next_s = glow.next_s(elapsed_s)
        assert next_s is None or next_s > elapsed_s


@pytest.mark.parametrize(("one", "other"), combinations(LASTING, 2), ids=lambda glow: glow.name)
def test_glows_are_told_apart_by_eyes_that_see_no_colour(one: Glow, other: Glow) -> None:
    """However the two rhythms are laid over one another, one is lit and the other dark for a while."""
    steps, shifts = round(WATCHED_S / STEP_S), round(other.seconds / STEP_S)
    lit = np.array([one.at(step * STEP_S) != DARK for step in range(steps)])
    other_lit = np.array([other.at(step * STEP_S) != DARK for step in range(steps + shifts)])
    for shift in range(shifts):
        differing_s = STEP_S * np.count_nonzero(lit != other_lit[shift : shift + steps])
        assert differing_s >= 0.05 * WATCHED_S


def test_legal_burns_steadily_and_nothing_else_does() -> None:
    steady = [glow for glow in LASTING if DARK not in {flash.colour for flash in glow.rhythm}]
    assert steady == [LEGAL_GLOW]
