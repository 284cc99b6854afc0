"""Every refusal has its rule, and every number in either comes from the rules, in all languages."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

import pytest

from companion.board import Color
from companion.board.hexagon import HexBoard
from companion.games import RULE_SETS
from companion.games.contract import Player, Reason
from companion.games.la_strada import LaStrada, Rules
from companion.games.la_strada.rules import DANGER_RULES, STANDARD_RULES, TWO_PLAYER_RULES
from companion.words import LANGUAGES, Voice, guide, la_strada, silk_road, why
from companion.words import rules as chapters
from companion.words.catalogues import catalogue, form_of
from companion.words.rules import Rulebook
from tests.words.test_catalogues import messages_in

BOARD = HexBoard()
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
#: What a sentence needs besides the rules: the numbers of the reason itself.
OF_REASONS = {
    **{"cost": 1, "held": 1, "needed": 1, "left": 1, "taken": 1, "placed": 1, "plain_needed": 1, "plain_left": 1},
    **{"city": 1, "town": 1, "village": 1, "hamlet": 1},
}
each_language = pytest.mark.parametrize("language", LANGUAGES)


def everything_said(rules: str, language: str) -> Iterator[str]:
    """Yield each refusal under the rules, the rule behind it or behind a verdict, and the rules' own description."""
    voice, book = Voice(PLAYERS, language, rules), Rulebook(rules, language)
    for code in la_strada.REFUSALS:
        yield from voice.reasons([Reason(code, BOARD.cells[:1], OF_REASONS, Color.RED)])
        yield book.behind(code)
    yield from map(book.behind, la_strada.VERDICTS)
    yield book.about


def changed(rules: Rules) -> Iterator[tuple[str, Rules]]:
    """Yield the rules with one number changed, for each that sentences mention: what was changed, and the new rules."""
    for field in fields(Rules):
        value = getattr(rules, field.name)
        if isinstance(value, Mapping) and all(isinstance(each, int) for each in value.values()):
            for key, number in value.items():
                yield f"{field.name} {key}", replace(rules, **{field.name: {**value, key: number + 30}})
        elif field.name in ("merchants", "most_days", "at_workshop", "rounds", "room") and value:
            yield field.name, replace(rules, **{field.name: value + 30})


CHANGED = [
    pytest.param(rules, what, other, id=f"{rules.name}: {what}")
    for rules in (STANDARD_RULES, TWO_PLAYER_RULES, DANGER_RULES)
    for what, other in changed(rules)
]


@each_language
@pytest.mark.parametrize(("rules", "what", "other"), CHANGED)
def test_whoever_changes_a_number_of_the_rules_changes_the_sentences(
    monkeypatch: pytest.MonkeyPatch, rules: Rules, what: str, other: Rules, language: str
) -> None:
    before = list(everything_said(rules.name, language))
    monkeypatch.setitem(RULE_SETS, rules.name, LaStrada(other))
    after = list(everything_said(rules.name, language))
    different = [(one, two) for one, two in zip(before, after, strict=True) if one != two]
    assert different, f"no sentence says {what}"
    for one, two in different:
        said, said_now = (re.findall(r"\d+", sentence) for sentence in (one, two))
        assert said != said_now, f"{one!r} changes, but its number does not"


@each_language
def test_no_number_of_the_rules_is_written_into_a_sentence(language: str) -> None:
    of_la_strada = (la_strada.REFUSALS, la_strada.TWO_PLAYER, la_strada.DANGER, la_strada.VERDICTS)
    books = (*of_la_strada, silk_road.REFUSALS, silk_road.VERDICTS, vars(chapters), vars(guide), vars(why))
    messages = [*messages_in(books)]
    assert len(messages) > 90
    for message in messages:
        for count in (1, 2):
            assert not re.search(r"\d", form_of(catalogue(language), message, count)), message
    english = [form for message in messages for form in (message.one, message.several)]
    counted = "three|four|five|six|eight|ten|twelve|eighteen"
    assert not [form for form in english if re.search(rf"\b({counted})\b", form, re.IGNORECASE)]


@each_language
@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_every_reason_has_its_rule_in_a_sentence_or_two(rules: str, language: str) -> None:
    of_silk_road = rules in ("competitive", "cooperative")
    for code in silk_road.REFUSALS if of_silk_road else la_strada.REFUSALS:
        rule = Rulebook(rules, language).behind(code)
        assert rule.endswith(".")
        assert rule.count(".") <= 2
        assert "{" not in rule


@each_language
def test_rule_sets_differ_where_their_rules_do(language: str) -> None:
    behind = {
        rules: Rulebook(rules, language).behind("not-connected") for rules in ("standard", "two-player", "danger")
    }
    assert len(set(behind.values())) == 3


@each_language
@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_every_set_of_rules_has_a_name_and_a_word_on_it(rules: str, language: str) -> None:
    book = Rulebook(rules, language)
    assert book.name not in ("", rules)
    assert book.about.endswith(".")


def test_rules_of_a_later_version_are_called_by_themselves() -> None:
    book = Rulebook("four-dimensional")
    assert (book.name, book.about) == ("four-dimensional", "")


@each_language
def test_a_verdict_without_a_reason_has_its_rule(language: str) -> None:
    for rules in RULE_SETS:
        codes = ["built", "saved", "hidden", "unclear"]
        assert all(Rulebook(rules, language).behind(code).endswith(".") for code in codes)
    assert Rulebook("standard", language).behind("workshop").endswith(".")
    assert Rulebook("standard", language).behind("nothing of the kind") == ""


@each_language
def test_silk_road_counts_its_mountains_from_its_rules(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    book = Rulebook("competitive", language)
    before = book.behind("mountain-count")
    monkeypatch.setattr(silk_road, "HOW_MANY_MOUNTAINS", 41)
    assert "41" in book.behind("mountain-count") != before
