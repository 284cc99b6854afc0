"""What people meet in everyday use is refused in their language; what only a program gets wrong is introduced in it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.board import BadInputError, Color
from companion.commands import StartGame
from companion.games.contract import Player
from companion.setup.finding import Misfit
from companion.setup.store import Store
from companion.setup.wizard import Wizard
from companion.web.languages import complaint, speaking
from companion.web.languages import said as spoken
from companion.words import LANGUAGES, setting_up, table
from tests.web.playing import OWN, game, showing
from tests.web.test_keeper import message

ROOT = Path(__file__).parents[2]
ADA, BO, CY = ({"name": name, "color": color} for name, color in (("Ada", "black"), ("Bo", "red"), ("Cy", "grey")))
#: The facts of an error, as numbers and names that no sentence contains by chance; errors without facts are left out.
FACTS: dict[str, dict[str, object]] = {
    "corner-outside": {"cell": "G7"},
    "csv-columns": {"line": 41, "value": "Ada"},
    "csv-long": {"line": 41, "value": "Ada", "most": 42},
    "csv-many": {"line": 41, "most": 42},
    "csv-no-name": {"line": 41, "value": "Ada"},
    "csv-odd": {"line": 41, "value": "Ada"},
    "csv-quote": {"line": 41, "value": "Ada"},
    "csv-twice": {"line": 41, "value": "Ada"},
    "enough-photographs": {"count": 41},
    "hub-password": {"least": 41, "most": 42},
    "newest-game": {"game": 41},
    "no-cell": {"name": "Z99", "first": "A1", "last": "M7"},
    "no-room": {"cell": "G7"},
    "no-such-game": {"game": 41},
    "no-such-photograph": {"number": 41},
    "other-size": {"size": "41 x 42", "right": "43 x 44"},
    "photo-large": {"most": 41},
    "photo-pixels": {"most": 41},
    "photo-small": {"least": 41},
    "player-count": {"least": 41, "most": 42},
    "same-name": {"name": "Ada"},
    "two-people": {"old": "Ada", "new": "Bo", "game": 41},
    "no-person": {"name": "Ada"},
    "color-name": {"name": "Ada"},
    "sections-untold": {"count": 41},
    "seats": {"players": 41, "seats": (42, 43)},
    "tournament-count": {"least": 41, "most": 42},
    "tournament-tables": {"least": 41, "most": 42},
}

foreign = pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    return showing(game()).client(wizard=Wizard(Store(tmp_path), lambda: None))


@pytest.fixture
def app(client: FlaskClient) -> Flask:
    return client.application


def said(client: FlaskClient, language: str, path: str, body: object) -> str:
    """Return what a keeper is answered in that language when they ask for something impossible."""
    return message(client.post(path, json=body, headers={**OWN, "Accept-Language": language}), 400)


USUAL: list[tuple[str, dict[str, Any]]] = [
    ("/keeper/start", {"players": [ADA, {**BO, "name": "Ada"}]}),
    ("/keeper/start", {"players": [ADA, {**BO, "color": "black"}]}),
    ("/keeper/start", {"players": [ADA]}),
    ("/keeper/start", {"players": [ADA, BO, CY], "rules": "two-player"}),
    ("/keeper/correct", {"cell": "Z99", "contents": {}}),
    ("/setup/photograph", {}),
    ("/setup/colors", {"colors": ["red"]}),
    ("/setup/corners", {"A1": [0, 0], "A7": [1, 0], "M7": [1, 1], "M1": [0, 1]}),
    ("/setup/corners", {"A1": [0, 0]}),
    ("/setup/teach", {}),
    ("/setup/use", {"table": "gone"}),
    ("/setup/check", {"table": "gone"}),
]


@pytest.mark.parametrize(("path", "body"), USUAL)
@foreign
def test_no_usual_refusal_is_english_elsewhere(
    client: FlaskClient, language: str, path: str, body: dict[str, Any]
) -> None:
    english, foreign = said(client, "en", path, body), said(client, language, path, body)
    assert foreign != english
    assert foreign[0].isupper() or foreign[0] in "„«"
    assert not foreign.startswith(introduced(client.application, language))
    assert not english.startswith(introduced(client.application, "en"))


def introduced(app: Flask, language: str) -> str:
    with speaking(app, language):
        return complaint(BadInputError("?")).partition("?")[0]


@foreign
def test_what_only_a_program_gets_wrong_is_introduced_in_the_language(client: FlaskClient, language: str) -> None:
    sentence = said(client, language, "/keeper/start", {"players": [ADA, BO], "hats": 2})
    assert sentence == f"{introduced(client.application, language)}start: 'hats' is not known; its body may have " + (
        "again, options, players, rules."
    )
    assert introduced(client.application, language) != "That could not be understood: "


@pytest.mark.parametrize("code", sorted({**setting_up.COMPLAINTS, **table.COMPLAINTS}))
@foreign
def test_every_complaint_is_said_in_every_language_with_its_facts(app: Flask, language: str, code: str) -> None:
    error = BadInputError("in English", code, **FACTS.get(code, {}))
    with speaking(app, "en"):
        english = complaint(error)
    with speaking(app, language):
        sentence = complaint(error)
    assert sentence != english
    named = re.compile(r"4[1-4]|\b(?:G7|Z99|A1|M7|Ada)\b")
    assert sorted(named.findall(sentence)) == sorted(named.findall(english))
    assert bool(named.search(english)) is (code in FACTS)
    assert not re.search(r"[{}%]|  |\.\.", sentence)
    assert sentence.endswith(".") or sentence.endswith("?")


@pytest.mark.parametrize("found", Misfit)
@foreign
def test_why_a_stored_table_does_not_fit_is_said_in_every_language(app: Flask, language: str, found: Misfit) -> None:
    with speaking(app, "en"):
        english = spoken(setting_up.MISFITS[found])
    with speaking(app, language):
        assert spoken(setting_up.MISFITS[found]) not in ("", english)


@pytest.mark.long
def test_every_code_that_an_error_is_given_has_its_words_and_no_words_are_left_without_an_error() -> None:
    worded = {*setting_up.COMPLAINTS, *table.COMPLAINTS}
    sources = [
        path
        for room in ("companion", "hub", "simulator", "vision", "calibration")
        for path in (ROOT / room).rglob("*.py")
    ]
    texts = {path: path.read_text() for path in sources if path.parent.name != "words"}
    assert {code for text in texts.values() for code in codes(text)} <= worded
    assert {code for code in worded if not any(f'"{code}"' in text for text in texts.values())} == set()


def codes(source: str) -> Iterator[str]:
    """Yield the codes that errors are given as plain words."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="BadInputError"), args=[_, ast.Constant(value=str(code))]):
                yield code


def test_two_of_one_colour_are_refused_wherever_a_game_is_asked_for() -> None:
    with pytest.raises(BadInputError) as refused:
        StartGame((Player("Ada", Color.RED), Player("Bo", Color.RED)))
    assert refused.value.code == "same-color"
