"""The catalogues are complete, up to date with the source, marked as each language asks, and in the rules' words."""

import re
import shutil
import string
import subprocess
import sys
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from companion.words import LANGUAGES, guide, la_strada, machine, pieces, rules, setting_up, silk_road, table, why
from companion.words.catalogues import Message, Refusal

ROOT = Path(__file__).parents[2]
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"

FOREIGN = [language for language in LANGUAGES if language != "en"]
foreign = pytest.mark.parametrize("language", FOREIGN)


#: What is said about games, and what is on the pages.
each_domain = pytest.mark.parametrize("domain", ["strada", "pages"])


def catalogue_file(language: str, root: Path = ROOT, domain: str = "strada") -> Path:
    return root / "companion" / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


@cache
def written(language: str, root: Path = ROOT, domain: str = "strada") -> Catalog:
    with catalogue_file(language, root, domain).open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def all_messages() -> Iterator[Message]:
    """Yield every message that the modules hold, by itself or in a table."""
    modules = (guide, la_strada, machine, pieces, rules, setting_up, silk_road, table, why)
    for value in (each for module in modules for each in vars(module).values()):
        yield from messages_in(value)


def messages_in(value: object) -> Iterator[Message]:
    match value:
        case Message():
            yield value
        case rules.Words(name=name, about=about):
            yield from (name, about)
        case Refusal(says=says, rule=rule):
            yield from (says, rule)
        case dict() | tuple():
            for each in value.values() if isinstance(value, dict) else value:
                yield from messages_in(each)


def forms(value: str | list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def places(text: str, domain: str = "strada") -> set[str]:
    if domain == "pages":
        return set(re.findall(r"%\((\w+)\)", text)) | set(re.findall(r"\{(\w+)\}", text))  # the latter in scripts
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@foreign
def test_a_catalogue_has_every_message_and_no_other(language: str) -> None:
    expected = {(message.one, message.several) if message.several else (message.one,) for message in all_messages()}
    catalogue = written(language)
    assert {forms(message.id) for message in catalogue if message.id} == expected
    assert len(expected) > 90
    assert not catalogue.obsolete


def test_messages_that_are_the_same_for_one_are_the_same_for_several() -> None:
    found: dict[str, str] = {}
    for message in all_messages():
        assert found.setdefault(message.one, message.several) == message.several


@foreign
@each_domain
def test_every_message_is_translated_and_none_is_in_doubt(language: str, domain: str) -> None:
    for message in written(language, domain=domain):
        assert all(forms(message.string)), message.id
        assert not message.fuzzy, message.id


@foreign
@each_domain
def test_a_translation_has_the_places_of_its_message(language: str, domain: str) -> None:
    for message in written(language, domain=domain):
        if message.id:
            one, *several = (places(form, domain) for form in forms(message.id))
            first, *others = (places(form, domain) for form in forms(message.string))
            # On the pages the number may be left out if it is one: "last round".
            assert first == one or (others and first in (one, *several)), message.id
            assert all(place == (several or [one])[0] for place in others), message.id
            assert all(name.isidentifier() for name in one.union(*several)), message.id
            assert not several or several[0] in (one, {*one, "num"}), message.id


@foreign
@each_domain
def test_each_language_has_its_own_marks(language: str, domain: str) -> None:
    text = [form for message in written(language, domain=domain) if message.id for form in forms(message.string)]
    assert not [form for form in text if re.search(r"['\"]|[ ][,.]|\.\.\.", form)]
    marked = [form for form in text if re.search(r"[;:?!»]", form)]
    spaced = [form for form in marked if not re.search(rf"[^{NARROW_SPACE}][;:?!»]", form)]
    assert spaced == (marked if language == "fr" else [])
    assert any("„fertig“" in form for form in text) is (language == "de")


@pytest.mark.long
def test_making_the_messages_changes_nothing(tmp_path: Path) -> None:
    for name in ("Makefile", "babel.cfg", "babel-pages.cfg", "pyproject.toml"):
        shutil.copy2(ROOT / name, tmp_path / name)
    for name in ("words", "locale", "web"):
        shutil.copytree(ROOT / "companion" / name, tmp_path / "companion" / name)
    shutil.copytree(ROOT / "hub" / "web", tmp_path / "hub" / "web")
    installed = f"{sys.prefix}/.dev-installed"
    subprocess.run(["make", "-o", installed, "messages", f"VENV={sys.prefix}"], cwd=tmp_path, timeout=60, check=True)
    for language in FOREIGN:
        for domain in ("strada", "pages"):
            made, kept = written(language, tmp_path, domain), written(language, domain=domain)
            assert entries(made) == entries(kept), f"make messages changes {domain} in {language}"


def entries(catalogue: Catalog) -> list[tuple[object, ...]]:
    return [(message.id, message.string, message.auto_comments) for message in catalogue if message.id]


def test_the_catalogues_are_installed_with_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["companion"]
    packed = {path for pattern in patterns for path in (ROOT / "companion").glob(pattern)}
    catalogues = {catalogue_file(language, domain=domain) for language in FOREIGN for domain in ("strada", "pages")}
    assert catalogues <= packed


# The rules' glossary


def glossary(records: Path) -> dict[str, list[str]]:
    """Return the English words of the rules' glossary, each with its German, French and Italian word."""
    path = records.parent / "rules" / "README.md"
    if not path.is_file():
        pytest.skip(f"no {path}: the shared rules are not beside this checkout")
    words: dict[str, list[str]] = {}
    for row in re.findall(r"^\|(.+)\|$", path.read_text(), re.MULTILINE):
        english, *others = (re.sub(r" \(.*?\)| \d", "", cell).strip().split(", ") for cell in row.split("|"))
        if all(len(other) == len(english) for other in others):
            words |= {word: list(said) for word, *said in zip(english, *others, strict=True)}
    return words


#: How messages say a word of the glossary where they say it in another form.
FORMS = {"city": "cit(y|ies)", "travel days": "days?(?! track)", "day track": "track", "scoring box": "box"}


@pytest.mark.parametrize(
    "word",
    [
        "settlement", "hamlet", "village", "town", "city", "workshop", "travel days", "day track", "marker", "plain",
        "forest", "hill", "merchant", "scoring box", "black", "grey", "yellow", "red",
    ],
)  # fmt: skip
def test_things_are_called_as_in_the_rules(records: Path, word: str) -> None:
    english = FORMS.get(word, word)
    for language, said in zip(("de", "fr", "it"), glossary(records)[word], strict=True):
        stems = [part.rstrip("aeios") for part in plain(said).split()]  # the same in singular and plural
        speaking = [
            (message.id, plain(form))
            for message in written(language)
            if re.search(rf"\b{english}", re.sub(r"{\w+}", "", forms(message.id)[0]), re.IGNORECASE)
            for form in forms(message.string)
        ]
        assert speaking
        assert [one for one in speaking if not all(stem in one[1] for stem in stems)] == []


def plain(text: str) -> str:
    """Return the text in small letters without accents: "Höfe" as "hofe"."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text.lower()) if letter.isascii())
