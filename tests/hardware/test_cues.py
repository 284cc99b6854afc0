"""Cues and glows: what they show, that people can tell them apart, and what a panel plays of them around pauses."""

from collections.abc import Iterable
from itertools import combinations, groupby, pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from hardware.cues import CUES, GLOWS, ILLEGAL, ILLEGAL_GLOW, LEGAL, LEGAL_GLOW, TURN, UNFINISHED_GLOW, Cue, Glow
from hardware.panel import IDLE_S, MOST_PAUSE_S, Panel
from tests.clock import Clock
from tests.hardware.mock_panel import DARK, GREEN, PINS, RED, all_pins_are_dark_and_silent, later, lit_turns

ALL = sorted(CUES.values(), key=lambda cue: cue.name)
LASTING = sorted(GLOWS.values(), key=lambda glow: glow.name)

#: Glows are compared for this long, in steps this long: whole periods of most of them, and shorter than any flash.
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
def test_the_buzzer_can_play_every_note(cue: Cue, panel: Panel) -> None:
    low, high = panel._buzzer.min_tone.frequency, panel._buzzer.max_tone.frequency
    assert all(low <= note.hz <= high for note in cue.tune if note.hz is not None)


def bursts_s(parts: Iterable[tuple[bool, float]]) -> list[float]:
    """Return how long each stretch of light or sound lasts, for eyes that see no colour and a buzzer with one pitch."""
    return [sum(seconds for _, seconds in run) for is_on, run in groupby(parts, key=itemgetter(0)) if is_on]


def are_told_apart(one: list[float], other: list[float]) -> bool:
    """Whether people notice: another number, or one lasts half as long again; a tenth longer is not noticed."""
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
    """However the two rhythms are shifted against each other, for a while one is lit and the other dark."""
    steps, shifts = round(WATCHED_S / STEP_S), round(other.seconds / STEP_S)
    lit = np.array([one.at(step * STEP_S) != DARK for step in range(steps)])
    other_lit = np.array([other.at(step * STEP_S) != DARK for step in range(steps + shifts)])
    for shift in range(shifts):
        differing_s = STEP_S * np.count_nonzero(lit != other_lit[shift : shift + steps])
        assert differing_s >= 0.05 * WATCHED_S


def test_legal_burns_steadily_and_nothing_else_does() -> None:
    steady = [glow for glow in LASTING if DARK not in {flash.colour for flash in glow.rhythm}]
    assert steady == [LEGAL_GLOW]


@pytest.mark.parametrize("name", sorted(CUES.keys() | GLOWS.keys()))
def test_the_guide_says_what_every_cue_and_glow_means(name: str) -> None:
    assert f"| {name} |" in (Path(__file__).parents[2] / "hardware" / "README.md").read_text()


def test_legal_lights_green_and_sounds_then_both_end(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    assert panel.state().status == GREEN
    assert panel.state().sounding
    clock.now_s += 1.0
    panel.step()
    assert panel.state().status == GREEN
    assert not panel.state().sounding, "the tune is shorter than the light"
    clock.now_s += LEGAL.seconds
    assert panel.step() == IDLE_S
    assert panel.state().status == DARK


def test_the_buzzer_plays_the_notes_pitch_on_its_pin(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    assert panel._factory.pin(PINS.buzzer).frequency == pytest.approx(523.3, abs=0.5)
    later(panel, clock, 0.15)
    assert panel._factory.pin(PINS.buzzer).frequency == pytest.approx(659.3, abs=0.5)


def test_step_says_when_the_next_change_comes(panel: Panel, clock: Clock) -> None:
    panel.play(ILLEGAL)
    assert panel.step() == pytest.approx(0.25)
    clock.now_s += 0.25
    assert panel.step() == pytest.approx(0.05)


def test_a_newer_cue_replaces_the_one_playing(panel: Panel) -> None:
    panel.play(ILLEGAL)
    panel.play(LEGAL)
    state = panel.state()
    assert (state.status, state.cue, state.cues) == (GREEN, "legal", 2)


def test_a_glow_lasts_and_a_cue_plays_over_it(panel: Panel, clock: Clock) -> None:
    panel.glow(LEGAL_GLOW)
    later(panel, clock, 3600)
    assert (panel.state().status, panel.state().glow) == (GREEN, "legal")
    panel.play(ILLEGAL)
    assert panel.state().status == RED
    later(panel, clock, 0.3)
    assert panel.state().status == DARK, "between two red flashes the glow does not shine through"
    later(panel, clock, ILLEGAL.seconds)
    assert panel.state().status == GREEN
    assert not panel.state().sounding


def test_a_glow_asked_for_during_a_cue_is_seen_after_it(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    panel.glow(ILLEGAL_GLOW)
    assert panel.state().status == GREEN
    later(panel, clock, LEGAL.seconds)
    assert panel.state().status == RED, "from the beginning of its rhythm"


def test_asking_for_the_same_glow_again_does_not_disturb_its_rhythm(panel: Panel, clock: Clock) -> None:
    panel.glow(UNFINISHED_GLOW)
    seen = []
    for _ in range(44):
        later(panel, clock, 0.1)
        panel.glow(UNFINISHED_GLOW)
        seen.append(panel.state().status)
    assert seen[:22] == seen[22:]
    assert DARK in seen


def test_every_frame_of_a_verdict_is_dark_and_the_cue_goes_on_where_it_was(panel: Panel, clock: Clock) -> None:
    """Frames come ten times a second; the one for the verdict was begun after everything had gone dark."""
    panel.show_turn("grey")
    panel.play(LEGAL)
    later(panel, clock, 0.05)
    pressed_s = clock.now_s
    lit_frames, dark_frames = [], []
    for number in range(1, 40):
        later(panel, clock, pressed_s + number * 0.1 - clock.now_s)
        if number == 5:
            panel.pause()
            assert panel.dark_since_s == clock.now_s
            assert all_pins_are_dark_and_silent(panel), "before pause() returns"
        (dark_frames if all_pins_are_dark_and_silent(panel) else lit_frames).append(number)
        if number == 8:
            panel.resume()
            assert panel.dark_since_s is None
            assert (panel.state().status, lit_turns(panel)) == (GREEN, ["grey"])
    assert dark_frames == [5, 6, 7, 8]
    later(panel, clock, 10)
    assert lit_turns(panel) == ["grey"]
    assert panel.state().status == DARK, "the cue has ended"


def test_a_pause_takes_nothing_from_a_cue(panel: Panel, clock: Clock) -> None:
    panel.play(LEGAL)
    panel.pause()
    later(panel, clock, 0.4)
    panel.resume()
    assert panel.state().sounding
    later(panel, clock, LEGAL.seconds - 0.01)
    assert panel.state().status == GREEN
    later(panel, clock, 0.02)
    assert panel.state().status == DARK


def test_what_is_asked_for_during_a_pause_begins_after_it(panel: Panel, clock: Clock) -> None:
    with panel.paused():
        panel.play(TURN)
        panel.show_turn("red")
        panel.glow(LEGAL_GLOW)
        later(panel, clock, 0.9)
        assert all_pins_are_dark_and_silent(panel)
    assert (panel.state().status, panel.state().sounding, lit_turns(panel)) == ((1, 1, 1), True, ["red"])
    later(panel, clock, TURN.seconds)
    assert panel.state().status == GREEN


def test_a_pause_that_nobody_ends_ends_by_itself(panel: Panel, clock: Clock) -> None:
    panel.glow(LEGAL_GLOW)
    panel.pause(0.5)
    assert panel.step() == pytest.approx(0.5)
    later(panel, clock, 0.5)
    assert panel.state().status == GREEN
    panel.resume()
    assert panel.state().status == GREEN


def test_a_pause_asked_for_again_and_again_does_not_stick(panel: Panel, clock: Clock) -> None:
    panel.glow(LEGAL_GLOW)
    panel.pause(3600)
    for _ in range(10):
        later(panel, clock, MOST_PAUSE_S / 10 - 0.001)
        assert panel.state().status == DARK
        panel.pause(3600)
    later(panel, clock, 0.02)
    assert panel.state().status == GREEN


def test_of_two_pauses_the_last_one_to_end_counts(panel: Panel) -> None:
    panel.glow(LEGAL_GLOW)
    with panel.paused():
        with panel.paused():
            panel.pause()
        panel.resume()
        assert panel.state().status == DARK
    assert panel.state().status == GREEN
