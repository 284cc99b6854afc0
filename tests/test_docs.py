"""What the documents promise is there: commands, targets, options, files, links, pins, the commands behind figures."""

import ast
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
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("*/*.md")]
README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
BENCHES = {path.stem for path in (ROOT / "bench").glob("*.py") if "def main" in path.read_text()} - {"tablegen"}

#: Not part of `make bench`: these need root and the network, or hours (`unseen`).
APART = {"card", "guest", "hub_home", "install", "install_hub", "unseen"}

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
    rooms = "companion|hub|simulator|vision|calibration|hardware|tests|bench|docs"
    for path in re.findall(rf"`((?:{rooms})/[\w/.-]*)`", document.read_text()):
        assert (ROOT / path).exists(), f"{document.name}: {path}"


def test_the_commands_page_names_every_command_and_each_option_in_its_row() -> None:
    page = (DOCS / "commands.md").read_text()
    for name in COMMANDS:
        (row,) = re.findall(rf"^\| `strada {name}.*$", page, re.MULTILINE)
        known = {option for parameter in group.get_command(None, name).params for option in parameter.opts}
        assert set(re.findall(r"--[a-z][a-z-]*", row)) <= known


def test_the_readme_is_short_and_leads_to_every_page_of_the_docs() -> None:
    assert len(README.split()) <= 1200
    linked = set(re.findall(r"\]\(docs/([\w-]+\.md)", README))
    assert linked == {path.name for path in DOCS.glob("*.md")}


def test_the_readmes_ten_rows_are_figures_that_the_page_of_figures_has() -> None:
    (shown,) = re.findall(r"<!-- ten rows.*?-->\n(.*?)<!-- the end", README, re.DOTALL)
    rows = shown.splitlines()[2:]
    assert len(rows) == 10
    page = (DOCS / "figures.md").read_text().splitlines()
    numbers = [set(re.findall(r"\d[\d,.]*\d|\d", row)) for row in page if row.startswith("| ")]
    for row in rows:
        asked = set(re.findall(r"\d[\d,.]*\d|\d", row))
        assert any(asked <= known for known in numbers), row


def test_every_figure_names_the_command_that_measures_it() -> None:
    page = (DOCS / "figures.md").read_text()
    rows = [row for row in re.findall(r"^\| .*$", page, re.MULTILINE) if not row.startswith(("| what |", "| --- |"))]
    assert rows
    for row in rows:
        assert re.search(r"\| `(make bench-|\.venv/bin/python -m bench\.).*\|$", row), row


def test_one_frames_walk_has_at_most_ten_stations_and_each_is_there() -> None:
    stations = re.findall(r"^\d+\. \[`(\w+)\.(\w+)`\]\(([\w/]+\.py)\)", README, re.MULTILINE)
    assert 5 <= len(stations) <= 10
    assert len(stations) == len(re.findall(r"^\d+\. \[`", README, re.MULTILINE))
    for owner, function, path in stations:
        classes = [node for node in ast.parse((ROOT / path).read_text()).body if isinstance(node, ast.ClassDef)]
        (owned,) = [node for node in classes if node.name == owner]
        assert function in {node.name for node in owned.body if isinstance(node, ast.FunctionDef)}, path


def test_every_bench_is_explained_and_made_by_make_bench() -> None:
    explained = (ROOT / "bench" / "README.md").read_text()
    done = subprocess.run(["make", "-n", "bench"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert set(re.findall(r"-m bench\.(\w+) --shared", done.stdout)) == BENCHES - APART
    assert {f"bench-{name}".replace("_", "-") for name in APART} <= TARGETS
    assert all(f"make bench-{name}`".replace("_", "-") in explained for name in BENCHES)


def test_the_pins_are_those_of_the_settings() -> None:
    panel = Settings().panel
    shown = (DOCS / "building.md").read_text() + (DOCS / "wiring.svg").read_text()
    assert f"| {panel.red}, {panel.green}, {panel.blue} |" in shown
    assert f"| {panel.turn_black}, {panel.turn_grey}, {panel.turn_yellow}, {panel.turn_red} |" in shown
    for pin in (panel.red, panel.green, panel.blue, panel.turn_black, panel.turn_grey, panel.turn_yellow,
                panel.turn_red, panel.buzzer, panel.button):  # fmt: skip
        assert f"GPIO {pin} " in shown


def test_the_settings_shown_are_settings() -> None:
    (shown,) = fenced(DOCS / "commands.md", "toml")
    assert settings_from(tomllib.loads(shown)).camera.kind == "picamera2"


def test_the_table_folder_shown_is_one() -> None:
    table, lies, evening = map(json.loads, fenced(DOCS / "table-folder.md", "json"))
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


@pytest.mark.parametrize("picture", DOCS.glob("*.*g"), ids=lambda path: path.name)
def test_pictures_load_quickly(picture: Path) -> None:
    assert picture.stat().st_size < 400_000
