"""The panel's darkness while a photograph is taken: at once, no longer than asked, nothing lost by it."""

import pytest

from hardware.cues import LEGAL, LEGAL_GLOW, TURN
from hardware.panel import MOST_PAUSE_S, Panel
from tests.clock import Clock
from tests.hardware.mock_panel import DARK, GREEN, all_pins_are_dark_and_silent, later, lit_turns


def test_every_frame_of_a_verdict_is_dark_and_the_cue_goes_on_where_it_was(panel: Panel, clock: Clock) -> None:
    """Frames come ten times a second; the one for the verdict was begun after everything had become dark."""
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
