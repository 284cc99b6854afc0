import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hardware import pins
from hardware.panel import Panel
from hardware.pins import PanelError, PanelPins, mock_factory, open_factory

PINS = PanelPins()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"buzzer": 17}, "the buzzer is on GPIO 17, where the status lamp's red is already"),
        ({"button": 26}, "the button is on GPIO 26, where red's turn lamp is already"),
        ({"status": (4, 4, 3)}, "the status lamp's green is on GPIO 4"),
        ({"button": 28}, "the button is on pin 28; it should be a BCM number from 0 to 27"),
        ({"turn": {"black": -1}}, "black's turn lamp is on pin -1"),
        ({"buzzer": True}, "the buzzer is on pin True"),
        ({"buzzer": "GPIO12"}, "the buzzer is on pin 'GPIO12'"),
    ],
)
def test_a_pin_that_cannot_be_is_named_with_what_is_on_it(change: dict[str, object], said: str) -> None:
    with pytest.raises(PanelError) as refused:
        replace(PINS, **change)
    assert said in str(refused.value)


def test_a_pin_that_another_uses_is_named_and_no_pin_stays_taken() -> None:
    factory = mock_factory()
    first = Panel(PINS, factory)
    other = replace(PINS, status=(0, 1, 2), turn={"black": 3, "red": 26})
    with pytest.raises(PanelError, match=r"red's turn lamp cannot have GPIO 26 \(.*in use"):
        Panel(other, factory)
    first.close()


def test_a_button_that_must_be_pulled_down_cannot_be_where_the_pi_pulls_up() -> None:
    with pytest.raises(PanelError, match="the button cannot have GPIO 2 "):
        Panel(replace(PINS, button=2, button_pulls_up=False), mock_factory())


def test_a_machine_without_pins_gets_mock_pins() -> None:
    factory, real = open_factory("auto")
    assert not real
    factory.close()


def test_a_pi_whose_pins_cannot_be_had_is_no_machine_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> object:
        raise ImportError("No module named 'lgpio'")

    monkeypatch.setattr(pins, "_has_pins", lambda: True)
    monkeypatch.setattr(pins, "_lgpio_factory", fails)
    with pytest.raises(ImportError, match="lgpio"):
        open_factory("auto")


LGPIO = """
import os
BOTH_EDGES = RISING_EDGE = FALLING_EDGE = SET_PULL_NONE = SET_PULL_UP = SET_PULL_DOWN = 0
class error(Exception): pass
os.chdir(os.environ["LG_WD"])
open(".lgd-nfy0", "w").close()
def gpiochip_open(chip): raise error("can not open gpiochip")
"""


def test_a_pin_library_that_fails_leaves_the_working_directory_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real one goes to LG_WD when it is imported, makes its pipe there, and stays."""
    (tmp_path / "lgpio.py").write_text(LGPIO)
    (tmp_path / "pipes").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LG_WD", str(tmp_path / "pipes"))
    folder = Path.cwd()
    try:
        with pytest.raises(OSError, match=r"\w"):  # no Pi, or no chip
            open_factory("lgpio")
        assert (tmp_path / "pipes" / ".lgd-nfy0").exists()
        assert Path.cwd() == folder
    finally:
        os.chdir(folder)
        for name in ("lgpio", "gpiozero.pins.lgpio"):
            sys.modules.pop(name, None)


def test_a_lamp_that_glows_for_evenings_leaves_nothing_behind() -> None:
    factory = mock_factory()
    pin = factory.pin(17)
    pin.output_with_state(0)
    for brightness in range(1000):
        pin.state = brightness / 1000
    assert pin.state == pytest.approx(0.999)
    assert [state.state for state in pin.states] == [pytest.approx(0.999)]
