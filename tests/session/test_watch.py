"""`strada watch` from the command line: the real reader on a table's photographs, and bad input."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KEYS = "photo, button, kind, player, verdict, violations, cells, days, next, over, gold, winners, markers"


def watch(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command where nothing but `environment` asks for a language; what it prints is taken as UTF-8."""
    command = [sys.executable, "-m", "companion", "watch", *map(str, arguments)]
    quiet = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    surroundings = quiet | {"PYTHONIOENCODING": "utf-8"} | environment
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", timeout=120, check=False, env=surroundings
    )


@pytest.fixture(scope="module")
def short_evening(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Elm's table with the first four photographs of its evening."""
    table = tmp_path_factory.mktemp("tables") / "elm"
    evening = table / "games" / "evening"
    evening.mkdir(parents=True)
    source = tables / "elm"
    (table / "table.json").symlink_to(source / "table.json")
    (table / "setup").symlink_to(source / "setup")
    game = json.loads((source / "games" / "evening" / "game.json").read_text())
    game["photos"] = game["photos"][:4]
    for photo in game["photos"]:
        (evening / photo["photo"]).symlink_to(source / "games" / "evening" / photo["photo"])
    (evening / "game.json").write_text(json.dumps(game))
    return evening


def test_each_photograph_is_one_line_of_json(short_evening: Path) -> None:
    run = watch(short_evening, "--json")
    assert (run.returncode, run.stderr) == (0, "")
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert [line["photo"] for line in lines] == ["000.jpg", "001.jpg", "002.jpg", "003.jpg"]
    assert all(", ".join(line).removesuffix(", pending") == KEYS for line in lines)


def test_without_json_it_speaks_and_counts_the_score(short_evening: Path) -> None:
    run = watch(short_evening)
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["000.jpg", "001.jpg", "002.jpg", "003.jpg"]
    assert lines[0].startswith("000.jpg  The game begins: ")
    assert all(line.endswith("0 gold, 0 days left") or "gold" in line for line in lines[4:])


def test_it_speaks_the_language_that_it_is_given(short_evening: Path) -> None:
    run = watch(short_evening, "--lang", "fr", LANG="it_IT.UTF-8")
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["000.jpg", "001.jpg", "002.jpg", "003.jpg"]
    assert lines[0].startswith("000.jpg  La partie commence\N{NARROW NO-BREAK SPACE}: ")
    assert lines[1].endswith("c’est juste.")
    assert all(re.search(r"pièces? d’or, \d+ jours? de voyage restants?$", line) for line in lines[4:])


def test_without_one_it_speaks_that_of_the_environment_on_any_terminal(short_evening: Path) -> None:
    run = watch(short_evening, LC_ALL="", LC_MESSAGES="it_IT.UTF-8", LANG="fr_FR", PYTHONIOENCODING="latin-1")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("000.jpg  La partita comincia: ")


def test_a_language_that_is_not_spoken_is_one_line_with_those_that_are(tmp_path: Path) -> None:
    run = watch(tmp_path, "--lang", "la")
    assert (run.returncode, run.stdout) == (2, "")
    assert re.search(r"'la' is not one of 'de', 'en', 'fr', 'it'", run.stderr)
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda folder: folder.parents[1].joinpath("table.json").unlink(), "no table.json above"),
        (lambda folder: folder.joinpath("game.json").unlink(), "game.json cannot be read"),
        (lambda folder: folder.joinpath("002.jpg").unlink(), "1 of 4 photographs are missing"),
        (lambda folder: (folder / "002.jpg").unlink() or (folder / "002.jpg").write_bytes(b"?"), "002.jpg is no photo"),
    ],
)
def test_bad_input_is_one_line_and_nothing_half_printed(
    short_evening: Path, tmp_path: Path, spoil: object, complaint: str
) -> None:
    shutil.copytree(short_evening.parents[1], tmp_path / "elm", symlinks=True)
    folder = tmp_path / "elm" / "games" / "evening"
    spoil(folder)  # type: ignore[operator]
    run = watch(folder, "--json")
    assert (run.returncode, run.stdout) == (2, "")
    assert complaint in run.stderr
    assert run.stderr.count("\n") == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    run = watch(tmp_path / "nowhere")
    assert (run.returncode, run.stdout) == (2, "")
    assert "nowhere is no folder" in run.stderr
