"""What the documents promise is there: commands, targets, options, files, links, pins, figures' commands."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from calibration.table import table_from_json
from companion.board import HexBoard, reading_from_json
from companion.cli import COMMANDS, group
from companion.settings import Settings, settings_from
from tests.test_arrows import ARROWS

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("*/*.md")]
README = (ROOT / "README.md").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
BENCHES = {path.stem for path in (ROOT / "bench").glob("*.py") if "def main" in path.read_text()} - {"tablegen"}

#: These want root and the network, and are no part of `make bench`.
APART = {"install", "unseen"}

documents = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def fenced(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


@documents
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text()):
        assert target.startswith("https://") or (document.parent / target).exists(), f"{document.name}: {target}"


@documents
def test_every_command_and_its_options_exist(document: Path) -> None:
    for name, rest in re.findall(r"`(?:\.venv/bin/)?strada ([a-z]+)\b([^`\n]*)", document.read_text()):
        assert name in COMMANDS, f"{document.name}: strada {name}"
        known = {option for parameter in group.get_command(None, name).params for option in parameter.opts}
        assert set(re.findall(r"--[a-z][a-z-]*", rest)) <= known | {"--help"}, f"{document.name}: strada {name}{rest}"


@documents
def test_every_make_target_exists(document: Path) -> None:
    for target in re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", document.read_text(), re.MULTILINE):
        name = "".join(target)
        assert name in TARGETS or name.removeprefix("bench-") in BENCHES, f"{document.name}: make {name}"


@documents
def test_every_file_of_ours_that_is_named_exists(document: Path) -> None:
    rooms = "companion|simulator|vision|calibration|hardware|tests|bench|docs"
    for path in re.findall(rf"`((?:{rooms})/[\w/.-]*)`", document.read_text()):
        assert (ROOT / path).exists(), f"{document.name}: {path}"


def test_the_readme_names_every_command_and_each_option_in_its_row() -> None:
    for name in COMMANDS:
        (row,) = re.findall(rf"^\| `strada {name}.*$", README, re.MULTILINE)
        known = {option for parameter in group.get_command(None, name).params for option in parameter.opts}
        assert set(re.findall(r"--[a-z][a-z-]*", row)) <= known


def test_every_bench_is_explained_and_made_by_make_bench() -> None:
    explained = (ROOT / "bench" / "README.md").read_text()
    done = subprocess.run(["make", "-n", "bench"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert set(re.findall(r"-m bench\.(\w+) --shared", done.stdout)) == BENCHES - APART
    assert {f"bench-{name}" for name in APART} <= TARGETS
    assert all(f"make bench-{name}" in explained for name in BENCHES)


def test_the_pins_are_those_of_the_settings() -> None:
    panel = Settings().panel
    shown = README + (ROOT / "docs" / "wiring.svg").read_text()
    assert f"| {panel.red}, {panel.green}, {panel.blue} |" in shown
    assert f"| {panel.turn_black}, {panel.turn_grey}, {panel.turn_yellow}, {panel.turn_red} |" in shown
    for pin in (panel.red, panel.green, panel.blue, panel.turn_black, panel.turn_grey, panel.turn_yellow,
                panel.turn_red, panel.buzzer, panel.button):  # fmt: skip
        assert f"GPIO {pin} " in shown


def test_the_settings_shown_are_settings() -> None:
    (shown,) = fenced(ROOT / "README.md", "toml")
    assert settings_from(tomllib.loads(shown)).camera.kind == "picamera2"


def test_the_table_folder_shown_is_one() -> None:
    table, lies, evening = map(json.loads, fenced(ROOT / "docs" / "table-folder.md", "json"))
    assert set(map(str, table_from_json(table).clicks)) == {"A1", "A7", "M7", "M1"}
    assert len(reading_from_json(lies, HexBoard()).cells) == 3
    assert evening["rules"] == "standard"


def test_the_arrows_drawn_in_contributing_are_those_that_hold() -> None:
    (drawing,) = fenced(ROOT / "CONTRIBUTING.md", "")
    drawn = {}
    for line in drawing.splitlines():
        rooms, targets = line.split(" -> ")
        names = set(re.sub(r"\(.*", "", targets).strip().split(", "))
        drawn |= dict.fromkeys(rooms.strip().split(", "), names)
    for room, allowed in ARROWS.items():
        if room not in ("companion", "companion.__main__"):
            names = {name.removeprefix("companion.").replace("*", "everything") for name in allowed}
            assert drawn.pop(room.removeprefix("companion.")) == (names or {"nothing"}), room
    assert not drawn


@pytest.mark.parametrize("picture", (ROOT / "docs").glob("*.*g"), ids=lambda path: path.name)
def test_pictures_load_quickly(picture: Path) -> None:
    assert picture.stat().st_size < 400_000
