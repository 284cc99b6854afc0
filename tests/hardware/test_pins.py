"""Which pin carries what, in the code and in the wiring diagram; and the factories that drive pins."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest
from gpiozero.pins.pi import PiBoardInfo

from hardware import pins
from hardware.panel import Panel
from hardware.pins import PanelError, mock_factory, open_factory
from tests.hardware.mock_panel import PINS


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


def test_the_pin_librarys_reason_is_said_without_its_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    class LgpioError(Exception):
        def __str__(self) -> str:
            return repr("GPIO busy")

    factory = mock_factory()
    monkeypatch.setattr(factory, "pin", Mock(side_effect=LgpioError))
    with pytest.raises(PanelError, match=r"17, 27, 22 \(GPIO busy\); end the program"):
        Panel(PINS, factory)


def test_a_button_that_must_be_pulled_down_cannot_be_where_the_pi_pulls_up() -> None:
    with pytest.raises(PanelError, match="the button cannot have GPIO 2 "):
        Panel(replace(PINS, button=2, button_pulls_up=False), mock_factory())


def test_a_machine_without_pins_gets_mock_pins() -> None:
    factory, real = open_factory("auto")
    assert not real
    factory.close()


def test_a_pi_whose_pins_cannot_be_had_is_no_machine_without_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pins, "_has_pins", lambda: True)
    monkeypatch.setattr(pins, "_lgpio_factory", Mock(side_effect=ImportError("No module named 'lgpio'")))
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
    """On import the real library changes to LG_WD, makes its pipe there, and stays there."""
    (tmp_path / "lgpio.py").write_text(LGPIO)
    (tmp_path / "pipes").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("LG_WD", str(tmp_path / "pipes"))
    folder = Path.cwd()
    try:
        with pytest.raises(OSError, match=r"\w"):  # not on a Pi, or no chip
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


DIAGRAM = ElementTree.parse(Path(__file__).parents[2] / "docs" / "wiring.svg").getroot()

#: The header of a Pi 3; it has been the same since the B+.
HEADER = PiBoardInfo.from_revision(0xA02082).headers["J8"].pins

#: Part of the diagram -> its BCM number.
WIRED = {
    **{f"status-{color}": pin for color, pin in zip(("red", "green", "blue"), PINS.status, strict=True)},
    **{f"turn-{color}": pin for color, pin in PINS.turn.items()},
    "buzzer": PINS.buzzer,
    "button": PINS.button,
}


def test_each_part_is_drawn_at_its_pin_and_no_other_is() -> None:
    drawn = {
        group.get("id"): label
        for group in DIAGRAM.findall(".//{*}g")
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
    for text in DIAGRAM.findall(".//{*}g[@id='header']//{*}text"):
        label = "".join(text.itertext())
        if " · " in label:
            (place,) = re.findall(r"\d+", label)
            shown[label.replace(place, "").strip(" ·")] = HEADER[int(place)].name
    words = {part: part.removeprefix("status-") for part in WIRED}
    words |= {f"turn-{color}": f"{color}'s turn" for color in PINS.turn}
    assert shown == {words[part]: f"GPIO{number}" for part, number in WIRED.items()} | {"ground": "GND"}


def test_the_grounds_that_are_named_are_grounds() -> None:
    words = " ".join("".join(text.itertext()) for text in DIAGRAM.findall(".//{*}text"))
    (others,) = re.findall(r"Pins ([\d, and]+) are ground too", words)
    named = {int(each) for each in re.findall(r"\d+", others)}
    assert named | {39} == {place for place, pin in HEADER.items() if pin.name == "GND"}
    assert HEADER[1].name == "3V3"


def test_the_diagram_is_readable_by_day_and_by_night() -> None:
    style = "".join(text for element in DIAGRAM.findall(".//{*}style") for text in element.itertext())
    by_day, by_night = re.findall(r"svg \{([^}]*)\}", style)
    assert re.findall(r"--\w+", by_day) == re.findall(r"--\w+", by_night)
    for colours in (by_day, by_night):
        paper, ink = (light(*re.findall(rf"--{name}: (#\w{{6}})", colours)) for name in ("paper", "ink"))
        # The contrast that WCAG 2.1 requires for text, 1.4.3.
        assert (max(paper, ink) + 0.05) / (min(paper, ink) + 0.05) >= 4.5


def light(colour: str) -> float:
    """Return the relative luminance as WCAG 2.1 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
