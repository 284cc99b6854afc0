"""Pins that the settings ask for cannot be had: the game goes on without lamps, and people are told."""

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from companion.board import BadInputError
from companion.settings import PanelSettings
from companion.web.keepers import Session
from companion.wiring import Companion, pins
from companion.wiring.pins import NO_PINS, Pins, opened_factory
from companion.words import LANGUAGES, Voice
from hardware.pins import PanelError, mock_factory, push_mock_button
from tests.faults.companions import running, settings_of, until

ASKED = PanelSettings(pins="lgpio")

#: "auto", the value if the settings say nothing, may also mean a Pi's own pins.
WANTED = pytest.mark.parametrize("kind", ["lgpio", "auto"])


def nothing() -> None: ...


def missing(kind: str) -> object:
    raise ImportError("No module named 'lgpio'")


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the pins' library away, whether this machine has it or not."""
    monkeypatch.setattr(pins, "open_factory", missing)


@WANTED
def test_without_the_pins_library_the_panel_is_simulated_and_it_is_said_why(
    kind: str, no_library: None, caplog: pytest.LogCaptureFixture
) -> None:
    found = Pins(PanelSettings(pins=kind))
    assert (found.trouble, found.are_real) == (NO_PINS, False)
    assert "install python3-lgpio on a Pi" in caplog.text
    with found.opened(nothing, nothing, nothing) as panel:
        panel.show_turn("red")
        assert panel.state().turn["red"]


def test_who_tests_the_panel_is_told_that_there_are_none(no_library: None) -> None:
    with pytest.raises(BadInputError, match=r"panel\.pins is 'lgpio', and there are none"):
        opened_factory(ASKED)


def test_a_pin_that_another_program_has_leaves_the_rest_of_the_evening_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, real = mock_factory(), pins.Panel

    def panel(wired: object, factory: object, *heard: object, **more: object) -> object:
        if factory is taken:
            raise PanelError("the buzzer, GPIO 12, is used by another program")
        return real(wired, factory, *heard, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(pins, "open_factory", lambda kind: (taken, True))
    monkeypatch.setattr(pins, "Panel", panel)
    found = Pins(ASKED)
    assert (found.trouble, found.are_real) == ("", True)
    with found.opened(nothing, nothing, nothing):
        assert (found.trouble, found.are_real) == (NO_PINS, False)
        assert found.factory is not taken


def test_in_safe_mode_pins_are_not_even_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(kind: str) -> object:
        raise AssertionError("the pins were tried")

    monkeypatch.setattr(pins, "open_factory", crash)
    assert (Pins(ASKED, is_safe=True).trouble, Pins(PanelSettings(pins="mock"), is_safe=True).are_real) == ("", False)


@pytest.mark.long
@WANTED
def test_a_companion_without_its_pins_starts_says_so_in_every_language_and_shows_the_pin(
    kind: str, no_library: None, tmp_path: Path
) -> None:
    with running(Companion(settings_of(tmp_path, pins=kind))) as companion:
        for language in LANGUAGES:
            warning = companion._scoreboard.latest.in_language(language).warning
            assert warning == Voice(language=language).trouble(NO_PINS)
        until(lambda: companion._scoreboard.latest.pin != "")
        assert isinstance(companion.keepers.sign_in(companion._scoreboard.latest.pin, "", "10.0.0.1"), Session)
        push_mock_button(companion._pins.factory, companion._pins.wired, is_down=True)
        push_mock_button(companion._pins.factory, companion._pins.wired, is_down=False)


@pytest.mark.parametrize(
    ("camera", "rules", "is_shown"),
    [("usb", "standard", True), ("virtual", "standard", False), ("virtual", "competitive", True)],
    ids=["simulated pins, which nobody can hold", "a drawn button on its page", "a drawn table without a button"],
)
def test_where_nobody_can_hold_a_button_the_pin_is_shown(
    camera: str, rules: str, is_shown: bool, tmp_path: Path
) -> None:
    settings = settings_of(tmp_path, camera)
    companion = Companion(replace(settings, game=replace(settings.game, rules=rules)))
    with closing(companion), ExitStack() as stack:
        assert companion._safe.has_button is not is_shown
        companion._opened_panel(stack)
        assert bool(companion._scoreboard.latest.pin) is is_shown
