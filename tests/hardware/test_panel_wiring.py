"""The wiring diagram and the parts list say what the panel does with its pins."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gpiozero.pins.pi import PiBoardInfo

from hardware.cues import CUES, GLOWS
from hardware.pins import PanelPins

ROOT = Path(__file__).parents[2]
DIAGRAM = ElementTree.parse(ROOT / "docs" / "wiring.svg").getroot()
PARTS = (ROOT / "hardware" / "README.md").read_text()

#: A Pi 3's; the header has been the same since the B+.
HEADER = PiBoardInfo.from_revision(0xA02082).headers["J8"].pins

PINS = PanelPins()
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
