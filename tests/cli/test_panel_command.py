"""`strada panel test`: the walk through the panel, on mock pins."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.board import BadInputError
from companion.cli import panel as command
from companion.settings import PanelSettings
from companion.wiring.pins import panel_pins
from hardware import pins
from hardware.cues import CUES, GLOWS
from hardware.pins import PanelPins, mock_factory


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a hold short, and every wait too."""
    monkeypatch.setattr(pins, "HOLD_S", 0.2)
    monkeypatch.setattr(command, "HOLD_S", 0.2)
    monkeypatch.setattr(command, "ANSWER_S", 0.6)


def walk(*arguments: str) -> Result:
    return CliRunner().invoke(command.command, ["test", "--pins", "mock", *arguments], catch_exceptions=False)


def test_the_walk_passes_every_lamp_glow_and_tune_and_ends_well() -> None:
    done = walk()
    assert done.exit_code == 0, done.output
    for pin in (17, 27, 22, 5, 6, 16, 26, 12, 23):
        assert f"GPIO {pin}." in done.output
    assert all(meaning in done.output for meaning in (*command.CUES_MEAN.values(), *command.GLOWS_MEAN.values()))
    assert "The button works" in done.output
    assert "Not as it should be" not in done.output


def test_every_cue_and_every_glow_that_is_to_be_seen_is_walked_through() -> None:
    assert set(command.CUES_MEAN) == set(CUES)
    assert set(command.GLOWS_MEAN) == set(GLOWS) - {"calm"}


def test_the_pins_of_the_settings_are_walked_through(tmp_path: Path) -> None:
    path = tmp_path / "strada.toml"
    path.write_text("[panel]\nred = 4\nbutton = 21\nbutton_pulls_up = false\nstatus_active_high = false\n")
    done = walk("--settings", str(path))
    assert done.exit_code == 0, done.output
    assert "red, GPIO 4." in done.output
    assert "Press the button briefly, GPIO 21." in done.output


def failed() -> str:
    """Walk, which must fail; return what is printed."""
    done = walk()
    assert done.exit_code == 1
    return done.output


def test_a_button_that_nobody_presses_fails_the_test_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "press_mock_button", lambda factory, pins, seconds: None)
    assert "Not as it should be: no press of the button on GPIO 23 was noticed" in failed()


def test_a_hold_where_a_press_was_asked_for_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    presses = command.press_mock_button
    monkeypatch.setattr(command, "press_mock_button", lambda factory, pins, seconds: presses(factory, pins, 0.3))
    assert "That was a hold." in failed()


def opened(monkeypatch: pytest.MonkeyPatch, factory: Any) -> None:
    monkeypatch.setattr(command, "opened_factory", lambda settings: (factory, False))


@pytest.mark.parametrize(
    ("pin", "does", "said"),
    [
        (PanelPins().turn["grey"], "_set_state", "grey's turn: the pins show"),
        (PanelPins().button, "drive_high", "button_pulls_up should be false"),
    ],
    ids=["a lamp that does not light", "a button that is down from the start"],
)
def test_a_pin_that_does_not_do_what_it_is_told_fails_the_test(
    monkeypatch: pytest.MonkeyPatch, pin: int, does: str, said: str
) -> None:
    factory = mock_factory()
    monkeypatch.setattr(factory.pin(pin), does, lambda *_: None)
    opened(monkeypatch, factory)
    assert said in failed()


def test_pins_that_another_program_has_are_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    factory = mock_factory()
    with command.Panel(PanelPins(), factory):
        opened(monkeypatch, factory)
        with pytest.raises(BadInputError, match=r"GPIO 17, 27, 22 .*systemctl stop strada"):
            walk()


def test_settings_that_name_no_pin_have_the_pins_of_the_diagram() -> None:
    assert panel_pins(PanelSettings()) == PanelPins()


@pytest.mark.parametrize("arguments", [["--settings", "none.toml"], ["--pins", "lgpio"]])
def test_missing_settings_and_pins_are_bad_input(arguments: list[str]) -> None:
    with pytest.raises(BadInputError):
        walk(*arguments)
