"""`strada watch` from the command line: the real reader on a table's photographs."""

import json
import re
from pathlib import Path

import pytest

from tests.typed import Strada, process

KEYS = "photo, button, kind, player, verdict, violations, cells, days, next, over, gold, winners, markers"
PHOTOS = ["000.jpg", "001.jpg", "002.jpg", "003.jpg"]


def watched(strada: Strada, evening: Path, *options: str) -> list[str]:
    """Return the lines that are printed."""
    status, printed, complained = strada("watch", evening, *options)
    assert (status, complained) == (0, "")
    return printed.splitlines()


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


@pytest.mark.long
def test_each_photograph_is_one_line_of_json(strada: Strada, short_evening: Path) -> None:
    lines = [json.loads(line) for line in watched(strada, short_evening, "--json")]
    assert [line["photo"] for line in lines] == PHOTOS
    assert all(", ".join(line).removesuffix(", pending") == KEYS for line in lines)


@pytest.mark.long
def test_without_json_it_speaks_and_counts_the_score(strada: Strada, short_evening: Path) -> None:
    lines = watched(strada, short_evening, "--lang", "en")
    assert [line.split()[0] for line in lines[:4]] == PHOTOS
    assert lines[0].startswith("000.jpg  The game begins: ")
    assert all(line.endswith("0 gold, 0 days left") or "gold" in line for line in lines[4:])


@pytest.mark.long
def test_it_speaks_the_language_that_it_is_given(
    strada: Strada, short_evening: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "it_IT.UTF-8")
    lines = watched(strada, short_evening, "--lang", "fr")
    assert [line.split()[0] for line in lines[:4]] == PHOTOS
    assert lines[0].startswith("000.jpg  La partie commence\N{NARROW NO-BREAK SPACE}: ")
    assert lines[1].endswith("le coup est juste.")
    assert all(re.search(r"pièces? d’or, \d+ jours? de voyage restants?$", line) for line in lines[4:])


@pytest.mark.long
def test_without_one_it_speaks_that_of_the_environment_on_any_terminal(short_evening: Path) -> None:
    run = process(
        "watch", short_evening, LC_ALL="", LC_MESSAGES="it_IT.UTF-8", LANG="fr_FR", PYTHONIOENCODING="latin-1"
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("000.jpg  La partita comincia: ")
