"""The real panel code on gpiozero's mock pins: cues, glows, lamps, its button, its darkness, its wiring diagram."""

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from gpiozero.pins.pi import PiBoardInfo
from hypothesis import given
from hypothesis import strategies as st

from hardware.contact import BOUNCE_S, HOLD_S
from hardware.cues import CUES, GLOWS, ILLEGAL, ILLEGAL_GLOW, LEGAL, LEGAL_GLOW, TURN, UNFINISHED_GLOW
from hardware.panel import IDLE_S, MOST_PAUSE_S, Panel
from hardware.pins import mock_factory, press_mock_button
from tests.clock import Clock
from tests.hardware.mock_panel import (
    DARK,
    GREEN,
    PINS,
    RED,
    all_pins_are_dark_and_silent,
    later,
    lit_turns,
    press,
    wait_for,
)


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


def test_one_turn_lamp_burns_at_a_time(panel: Panel) -> None:
    panel.show_turn("red")
    assert lit_turns(panel) == ["red"]
    panel.show_turn("black")
    assert lit_turns(panel) == ["black"]
    panel.show_turn(None)
    assert lit_turns(panel) == []


def test_a_pin_that_fails_is_logged_once_and_written_again(
    panel: Panel, clock: Clock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pin = panel._factory.pin(PINS.status[1])
    works = pin._set_state

    def fails(value: float) -> None:
        raise OSError("bad cable")

    monkeypatch.setattr(pin, "_set_state", fails)
    panel.glow(LEGAL_GLOW)
    later(panel, clock, 10)
    assert caplog.text.count("the panel's pins cannot be written") == 1
    monkeypatch.setattr(pin, "_set_state", works)
    later(panel, clock, IDLE_S)
    assert panel.state().status == GREEN


def test_inverted_lamps_and_a_plain_buzzer_show_the_same(clock: Clock) -> None:
    pins = replace(
        PINS, status_active_high=False, turn_active_high=False, buzzer_is_tonal=False, buzzer_active_high=False
    )
    panel = Panel(pins, mock_factory(), clock=clock)
    panel.play(LEGAL)
    panel.show_turn("red")
    state, pin = panel.state(), panel._factory.pin
    assert (state.status, state.sounding, lit_turns(panel)) == (GREEN, True, ["red"])
    assert (pin(pins.status[1]).state, pin(pins.status[0]).state) == (0, 1), "driven low to light"
    assert (pin(pins.turn["red"]).state, pin(pins.turn["grey"]).state) == (0, 1)
    assert pin(pins.buzzer).state == 0, "driven low to sound"
    panel.pause()
    assert (panel.state().status, panel.state().sounding, lit_turns(panel)) == (DARK, False, [])
    panel.close()


def test_the_panels_own_thread_plays_each_note_and_hears_the_button() -> None:
    factory, pressed = mock_factory(), threading.Event()
    with Panel(PINS, factory, pressed.set) as panel:
        panel.play(TURN)
        panel.glow(LEGAL_GLOW)
        assert wait_for(lambda: not panel.state().sounding)
        assert wait_for(lambda: panel.state().status == GREEN)
        press_mock_button(factory, PINS)
        assert pressed.wait(5)


def test_closing_darkens_everything(clock: Clock) -> None:
    factory = mock_factory()
    with Panel(PINS, factory) as panel:
        panel.show_turn("grey")
        panel.glow(LEGAL_GLOW)
        panel.play(ILLEGAL)
        pins = [factory.pin(number) for number in (*PINS.status, *PINS.turn.values(), PINS.buzzer)]
        assert any(pin.state for pin in pins)
    assert not any(pin.state for pin in pins)
    panel.play(TURN)
    panel.glow(ILLEGAL_GLOW)
    panel.show_turn("red")
    panel.pause()
    panel.resume()
    assert panel.state().status == DARK
    panel.close()


def test_a_press_is_done_and_a_hold_is_a_hold(panel: Panel, clock: Clock, told: list[str]) -> None:
    assert press(panel, clock, 0.1, told) == ["done"]
    assert press(panel, clock, HOLD_S - 0.01, told) == ["done"]
    assert press(panel, clock, HOLD_S, told) == ["hold", "release"]
    assert press(panel, clock, 3600, told) == ["hold", "release"]


def test_the_pin_is_shown_while_the_button_is_held(panel: Panel, clock: Clock, told: list[str]) -> None:
    panel._factory.pin(PINS.button).drive_low()
    later(panel, clock, HOLD_S)
    assert told == ["hold"]
    panel.close()
    assert told == ["hold", "release"], "and no longer than the panel lives"


def test_a_press_on_the_pin_is_one_press_though_the_contact_bounces(
    panel: Panel, clock: Clock, told: list[str]
) -> None:
    pin = panel._factory.pin(PINS.button)
    for seconds in (BOUNCE_S / 10, 0.1):
        for _ in range(4):
            pin.drive_low()
            later(panel, clock, BOUNCE_S / 10)
            pin.drive_high()
            later(panel, clock, BOUNCE_S / 10)
        pin.drive_low()
        later(panel, clock, seconds)
    pin.drive_high()
    later(panel, clock, BOUNCE_S)
    assert told == ["done"]


def test_the_press_of_a_button_that_pulls_to_three_volts_is_a_press(clock: Clock) -> None:
    told: list[str] = []
    panel = Panel(replace(PINS, button_pulls_up=False), mock_factory(), lambda: told.append("done"), clock)
    pin = panel._factory.pin(PINS.button)
    pin.drive_high()
    later(panel, clock, 0.1)
    pin.drive_low()
    later(panel, clock, 0.1)
    panel.close()
    assert told == ["done"]


def test_a_button_that_is_down_from_the_start_is_named_and_does_nothing(
    clock: Clock, told: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    factory = mock_factory()
    monkeypatch.setattr(factory.pin(PINS.button), "drive_high", lambda: None)  # the Pi's pull-up cannot lift it
    panel = Panel(PINS, factory, lambda: told.append("done"), clock, on_hold=lambda: told.append("hold"))
    later(panel, clock, 10)
    panel.close()
    assert "GPIO 23 is down from the start" in caplog.text
    assert told == []


def test_a_listener_that_fails_leaves_the_lamps_going(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise RuntimeError("no disk")

    panel = Panel(PINS, mock_factory(), fails, clock)
    press(panel, clock, 0.1, [])
    panel.play(LEGAL)
    assert panel.state().status == GREEN
    assert "no disk" in caplog.text
    panel.close()


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


CALLS: dict[str, Callable[[Panel], Any]] = {
    **{f"play {name}": lambda panel, cue=cue: panel.play(cue) for name, cue in CUES.items()},
    **{f"glow {name}": lambda panel, glow=glow: panel.glow(glow) for name, glow in GLOWS.items()},
    "red's turn": lambda panel: panel.show_turn("red"),
    "nobody's turn": lambda panel: panel.show_turn(None),
    "pause": lambda panel: panel.pause(),
    "pause long": lambda panel: panel.pause(1e9),
    "pause for nothing": lambda panel: panel.pause(0),
    "resume": lambda panel: panel.resume(),
    "state": lambda panel: panel.state(),
    "down": lambda panel: panel._factory.pin(PINS.button).drive_low(),
    "up": lambda panel: panel._factory.pin(PINS.button).drive_high(),
}


@given(st.lists(st.tuples(st.sampled_from(sorted(CALLS)), st.floats(0, 3)), max_size=40))
def test_whatever_is_asked_for_in_whatever_order_nothing_outlives_its_effect(calls: list[tuple[str, float]]) -> None:
    clock = Clock()
    panel = Panel(PINS, mock_factory(), clock=clock)
    for name, seconds in calls:
        CALLS[name](panel)
        clock.now_s += seconds
        assert panel.step() > -1e-9
        assert panel.dark_since_s is None or clock.now_s - panel.dark_since_s < MOST_PAUSE_S
    later(panel, clock, MOST_PAUSE_S + max(cue.seconds for cue in CUES.values()))
    turned = [name for name, _ in calls if "turn" in name and "play" not in name]
    state, glow = panel.state(), GLOWS[panel.state().glow]
    assert not state.sounding
    assert lit_turns(panel) == (["red"] if turned[-1:] == ["red's turn"] else [])
    assert state.status in {flash.colour for flash in glow.rhythm}
    assert state.glow == next((name[5:] for name, _ in reversed(calls) if name.startswith("glow ")), "calm")
    panel.close()


def test_several_threads_may_ask_for_everything_at_once() -> None:
    failed: list[BaseException] = []

    def asks(panel: Panel, first: int) -> None:
        names = sorted(CALLS)
        try:
            for number in range(150):
                CALLS[names[(first + 7 * number) % len(names)]](panel)
                with panel.paused(0.01):
                    panel.play(TURN)
        except BaseException as error:
            failed.append(error)

    with Panel(PINS, mock_factory()) as panel:
        threads = [threading.Thread(target=asks, args=(panel, first)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        panel.resume()
        panel.show_turn("grey")
        panel.glow(LEGAL_GLOW)
        panel.play(TURN)
        assert wait_for(lambda: panel.state().sounding)
        assert wait_for(lambda: panel.state().status == GREEN)
        assert lit_turns(panel) == ["grey"]
    assert failed == []
    assert not any(thread.is_alive() for thread in threads)


ROOT = Path(__file__).parents[2]
DIAGRAM = ElementTree.parse(ROOT / "docs" / "wiring.svg").getroot()
PARTS = (ROOT / "hardware" / "README.md").read_text()

#: A Pi 3's; the header has been the same since the B+.
HEADER = PiBoardInfo.from_revision(0xA02082).headers["J8"].pins

#: Part of the diagram -> its BCM number.
WIRED = {
    **{f"status-{color}": pin for color, pin in zip(("red", "green", "blue"), PINS.status, strict=True)},
    **{f"turn-{color}": pin for color, pin in PINS.turn.items()},
    "buzzer": PINS.buzzer,
    "button": PINS.button,
}


def texts(name: str) -> list[str]:
    (group,) = DIAGRAM.findall(f".//{{*}}g[@id='{name}']")
    return ["".join(text.itertext()) for text in group.iter("{http://www.w3.org/2000/svg}text")]


def test_each_part_is_drawn_at_its_pin_and_no_other_is() -> None:
    drawn = {
        group.get("id"): label
        for group in DIAGRAM.iter("{http://www.w3.org/2000/svg}g")
        for label in group.itertext()
        if label.startswith("GPIO")
    }
    assert set(drawn) == set(WIRED)
    for part, label in drawn.items():
        number, place = map(int, re.fullmatch(r"GPIO (\d+) · pin (\d+)", label).groups())  # type: ignore[union-attr]
        assert number == WIRED[str(part)], part
        assert HEADER[place].name == f"GPIO{number}"


def test_the_header_shows_the_same_places_and_a_ground_that_is_one() -> None:
    shown = {}
    for label in texts("header"):
        if " · " in label:
            (place,) = re.findall(r"\d+", label)
            shown[label.replace(place, "").strip(" ·")] = HEADER[int(place)].name
    words = {part: part.removeprefix("status-") for part in WIRED}
    words |= {f"turn-{color}": f"{color}'s turn" for color in PINS.turn}
    assert shown == {words[part]: f"GPIO{number}" for part, number in WIRED.items()} | {"ground": "GND"}


def test_the_grounds_that_are_named_are_grounds() -> None:
    words = " ".join("".join(text.itertext()) for text in DIAGRAM.iter("{http://www.w3.org/2000/svg}text"))
    (others,) = re.findall(r"Pins ([\d, and]+) are ground too", words)
    named = {int(each) for each in re.findall(r"\d+", others)}
    assert named | {39} == {place for place, pin in HEADER.items() if pin.name == "GND"}
    assert HEADER[1].name == "3V3"


def test_the_diagram_is_readable_by_day_and_by_night() -> None:
    style = "".join(
        text for element in DIAGRAM.iter("{http://www.w3.org/2000/svg}style") for text in element.itertext()
    )
    by_day, by_night = re.findall(r"svg \{([^}]*)\}", style)
    assert re.findall(r"--\w+", by_day) == re.findall(r"--\w+", by_night)
    for colours in (by_day, by_night):
        paper, ink = (light(*re.findall(rf"--{name}: (#\w{{6}})", colours)) for name in ("paper", "ink"))
        # The contrast that WCAG 2.1 asks of text, 1.4.3.
        assert (max(paper, ink) + 0.05) / (min(paper, ink) + 0.05) >= 4.5


def light(colour: str) -> float:
    """The relative luminance of WCAG 2.1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("name", sorted(CUES.keys() | GLOWS.keys()))
def test_the_guide_says_what_every_cue_and_glow_means(name: str) -> None:
    assert f"| {name} |" in PARTS
