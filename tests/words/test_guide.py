"""The lesson, the quiet line and what each number is made of: every number is one of the rules' or the position's."""

import re
from dataclasses import replace

import pytest

from companion.board import Contents, Merchants
from companion.games import RULE_SETS, score
from companion.games.contract import Position
from companion.games.la_strada import DANGER, STANDARD, TWO_PLAYER, LaStrada
from companion.games.silk_road import COMPETITIVE, Pass, SilkRoadPosition
from companion.words import LANGUAGES, guide, la_strada, silk_road
from companion.words import rules as chapters
from companion.words.guide import ADVICE, BEHIND, SHORTLY, Told
from companion.words.rules import Rulebook
from companion.words.speech import Speech
from companion.words.why import explained, laying, spent
from tests.games.drawing import BLACK, RED, after, begin, save, turn
from tests.games.silk_road import table as silk
from tests.web.test_guide import EARNING, FIELD, FIRST, opening
from tests.words.test_languages import facts

each_language = pytest.mark.parametrize("language", LANGUAGES)


def of_silk_road() -> SilkRoadPosition:
    return silk.begin({"green": silk.hand("g", 3), "brown": silk.hand("b", 3)})


def positions() -> list[Position]:
    """Return positions before the first workshop, in a turn, and with something reached, in each game."""
    bare = [replace(opening(rules), workshops={}, merchants={}) for rules in (STANDARD, TWO_PLAYER, DANGER)]
    second = replace(bare[0], workshops={FIELD.board.cell("G1"): RED}, next=BLACK)
    reached = after(after(opening(), FIRST), save(RED))
    poor = replace(opening(), days={BLACK: 1, RED: 0})
    return [*bare, second, *map(opening, (STANDARD, TWO_PLAYER, DANGER)), reached, poor, of_silk_road()]


def speech(position: Position, language: str = "en") -> Speech:
    return Speech(position.players, language, position.rules_name)


def said(position: Position, language: str = "en", before: Position | None = None) -> list[str]:
    """Return everything that is said about a position, and about the move that led there."""
    spoken, found = speech(position, language), RULE_SETS[position.rules_name].prospects(position)
    told = [text for each in guide.lesson(spoken, position, found) for text in (each.sentence, *each.places)]
    numbers = [text for each in explained(spoken, position, before).values() for text in (each.title, *each.lines)]
    return [
        *told,
        *guide.at_a_glance(spoken, position, found),
        *(text for some in guide.places_ahead(spoken, position, found) for text in some),
        *numbers,
    ]


def lesson(spoken: Speech, position: Position) -> tuple[Told, ...]:
    return guide.lesson(spoken, position, RULE_SETS[position.rules_name].prospects(position))


def at_a_glance(spoken: Speech, position: Position) -> tuple[str, ...]:
    return guide.at_a_glance(spoken, position, RULE_SETS[position.rules_name].prospects(position))


@each_language
def test_each_step_is_said_whole_in_every_language(language: str) -> None:
    seen = set[str]()
    for position in positions():
        for each in lesson(speech(position, language), position):
            seen.add(each.code)
            assert not re.search(r"[{}]|  |\s$", each.sentence), each
            assert each.sentence.endswith((".", ":"))
            assert language == "en" or each.sentence not in [
                english.sentence for english in lesson(speech(position), position)
            ]
            assert Rulebook(position.rules_name, language).source(each.behind)
    assert seen == ADVICE.keys(), "a step that no position here tells"


@each_language
def test_every_language_says_the_same_cells_names_and_numbers(language: str) -> None:
    for position in positions():
        for english, sentence in zip(said(position), said(position, language), strict=True):
            assert sorted(facts(sentence)) == sorted(facts(english)), sentence


@pytest.mark.parametrize("rules", [STANDARD, TWO_PLAYER, DANGER], ids=lambda rules: rules.name)
def test_whoever_changes_the_rules_changes_what_is_told(monkeypatch: pytest.MonkeyPatch, rules: LaStrada) -> None:
    other = replace(rules.rules, most_days=40, costs={kind: cost + 30 for kind, cost in rules.rules.costs.items()})
    before = said(opening(rules))
    monkeypatch.setitem(RULE_SETS, rules.name, LaStrada(other))
    now = said(replace(opening(rules), rules=other))
    assert any("32 days" in sentence and "33 days" in sentence for sentence in now)
    assert any("40 days" in sentence for sentence in now)
    assert not any("32 days" in sentence or "40 days" in sentence for sentence in before)


def test_every_step_has_the_rule_that_it_stands_on() -> None:
    assert BEHIND.keys() == ADVICE.keys()
    assert SHORTLY.keys() == {code for code in ADVICE if code.startswith("near-")}


@pytest.mark.parametrize("rules", sorted(RULE_SETS))
def test_every_refusal_names_its_chapter_or_that_no_text_says_it(rules: str) -> None:
    book, nowhere = Rulebook(rules), chapters.NOWHERE.one
    of_silk_road = rules in ("competitive", "cooperative")
    known = chapters._SILK_ROAD_CHAPTERS if of_silk_road else chapters.CHAPTERS
    for code in silk_road.REFUSALS if of_silk_road else la_strada.REFUSALS:
        assert code in known, f"{code}: which chapter?"
        assert book.source(code) == nowhere or re.search(r"“.+”", book.source(code))
    assert "Silk Road" in book.source("gold") if of_silk_road else "Silk Road" not in book.source("gold")


def test_each_game_names_its_own_source() -> None:
    assert Rulebook("standard").source("days") == "Rulebook, “Laying road tiles”"
    assert Rulebook("danger").source("days") == "Rulebook, “Laying road tiles”", "its costs are those of La Strada"
    assert Rulebook("danger").source("merchant-move") == "Nick Danger’s rules, “Course of play”"
    assert Rulebook("two-player").source("merchant-occupied") == "Rulebook, “Changes for two players”"
    assert Rulebook("standard", "de").source("days") == "Spielregel, „Weg-Plättchen legen“"
    assert Rulebook("competitive").source("no-way") == "Silk Road’s rules, “Setting up”"
    assert Rulebook("standard").source("joins-road") == chapters.NOWHERE.one


# What each number is made of


def lines(position: Position, name: str, before: Position | None = None) -> list[str]:
    return list(explained(speech(position), position, before)[name].lines)


def test_gold_is_explained_settlement_by_settlement() -> None:
    position = after(opening(), FIRST)
    assert lines(position, "gold-black") == ["D3, town with 1 merchant: 4 gold"]
    shared = replace(position, merchants={FIELD.board.cell("D3"): Merchants(black=1, red=1)})
    assert lines(shared, "gold-black") == lines(shared, "gold-red") == ["D3, town with 2 merchants: 3 gold"]
    assert lines(opening(), "gold-black") == ["No merchant of theirs is on a settlement yet."]


def test_in_nick_dangers_game_merchants_at_home_cost_and_whoever_has_fewer_earns_nothing() -> None:
    position = replace(
        opening(DANGER),
        merchants={FIELD.board.cell("D3"): Merchants(black=2, red=1), FIELD.board.cell("D1"): Merchants(black=3)},
    )
    assert lines(position, "gold-black") == [
        "D3, town with 3 merchants: 2 gold",
        "3 merchants still on a workshop: -3 gold",
    ]
    assert lines(position, "gold-red") == ["D3, town with 3 merchants: 0 gold, no majority"]
    for color in (BLACK, RED):
        total = sum(int(line.rpartition(": ")[2].split()[0]) for line in lines(position, f"gold-{color}"))
        assert total == score(position).gold[color]


def test_a_turn_that_was_accepted_tells_what_it_cost_terrain_by_terrain() -> None:
    before = opening()
    position = after(before, FIRST)
    assert lines(position, "cost", before) == ["1 forest tile at 3 days each: 3 days", "3 days left"]
    assert lines(position, "days-black", before) == ["Their last turn cost 3 days.", *lines(position, "cost", before)]
    assert explained(speech(position), position, before)["days-black"].title == "Ada: 3 days"


@pytest.mark.parametrize(("held", "last"), [(6, "2 days left"), (4, "0 days left"), (3, "1 day too many")])
def test_tiles_that_nobody_has_judged_yet_tell_what_they_would_cost(held: int, last: str) -> None:
    position = replace(opening(), days={BLACK: held, RED: 0})
    way = turn(FIELD, BLACK, "D1 C1 C2 D3").tiles
    laid = {cell: Contents(tile) for cell, tile in way.items()}
    assert laying(speech(position), position, laid) == (
        "The tiles laid now cost 4 days.",
        "2 plain tiles at 2 days each: 4 days",
        last,
    )
    assert laying(speech(position), position, {}) == ()
    assert laying(speech(position), STANDARD.end(position), laid) == ()
    taken = {FIELD.board.cell("D3"): Contents(merchants=Merchants(black=1))}
    assert laying(speech(position), position, taken) == (), "merchants cost no days"


def test_days_that_were_kept_are_told_with_what_the_turn_brings_and_what_is_lost() -> None:
    first = opening()
    second = after(first, save(BLACK))
    third = after(second, save(RED))
    assert lines(third, "days-black", second) == [
        "6 days kept from before",
        "6 days for this turn",
        "2 days lost, as nobody has more than 10 days",
    ]
    paid = after(opening(), FIRST)
    assert lines(after(paid, save(RED)), "days-black", paid) == ["3 days kept from before", "6 days for this turn"]


def test_days_of_a_house_rule_are_those_of_the_first_turn_alone() -> None:
    first = begin(FIELD, {BLACK: "D1", RED: "G1"}, {"first_days": {"red": 3}})
    second = after(first, save(BLACK))
    assert lines(second, "days-red", first) == ["0 days kept from before", "3 days for this turn"]
    fourth = after(after(second, save(RED)), save(BLACK))
    assert lines(fourth, "days-red", after(second, save(RED))) == ["3 days kept from before", "6 days for this turn"]


def test_a_turn_that_spends_nothing_says_so() -> None:
    first = opening()
    assert lines(after(first, save(BLACK)), "days-black", first) == ["Their last turn cost nothing.", "6 days left"]
    assert "cost" not in explained(speech(first), after(first, save(BLACK)), first)


def test_what_was_taken_back_or_is_not_known_costs_nothing() -> None:
    first = opening()
    second = after(first, save(BLACK))
    assert spent(first, second) is None
    assert spent(second, None) is None
    assert spent(after(second, save(RED)), first) is None, "two turns are not one"


def test_tiles_and_merchants_tell_how_many_there_were() -> None:
    position = after(opening(), FIRST)
    assert lines(position, "merchants-black") == ["11 of 12 merchants left", "1 merchant on the board"]
    assert lines(position, "tiles-black") == [
        "18 of 18 plain tiles left",
        "7 of 8 forest tiles left",
        "5 of 5 hill tiles left",
    ]


def test_rounds_are_explained_where_they_count() -> None:
    assert lines(opening(DANGER), "rounds") == ["10 rounds left of 10 rounds, this one included"]
    assert "rounds" not in explained(speech(opening()), opening(), None)


def test_wealth_is_explained_line_by_line_and_sections_by_what_is_left() -> None:
    position = silk.drawn(EARNING)
    assert lines(position, "gold-green") == ["Row A: Ada collects 8"]
    assert lines(position, "gold-brown") == ["They collect from no line yet."]
    assert lines(of_silk_road(), "sections-green") == ["3 of 3 road sections left", "0 road sections on the board"]


# The quiet line


def test_it_says_who_leads_where_the_road_could_go_and_how_near_the_end_is() -> None:
    position = after(opening(), FIRST)
    leads, comes, near = at_a_glance(speech(position), position)
    assert leads == "Ada leads with 4 gold"
    assert comes.startswith("Bo could go to D3, town: ") or comes.startswith("too far for Bo yet: ")
    assert near == "2 settlements at most for Ada, then the game ends"


def test_players_who_are_level_lead_together_and_with_nothing_nobody_leads() -> None:
    position = replace(opening(), merchants={FIELD.board.cell("D3"): Merchants(black=1, red=1)})
    assert at_a_glance(speech(position), position)[0] == "Ada and Bo are level with 3 gold"
    assert not any("lead" in words or "level" in words for words in at_a_glance(speech(opening()), opening()))


def test_before_the_first_turn_and_after_the_end_it_says_nothing() -> None:
    for position in (replace(opening(), workshops={}), STANDARD.end(opening())):
        assert at_a_glance(speech(opening()), position) == ()
    over = silk.after(of_silk_road(), Pass("green"), Pass("brown"))
    assert at_a_glance(speech(over), over) == ()
    assert lesson(speech(over), over) == ()


def test_silk_road_says_open_squares_and_sections() -> None:
    assert at_a_glance(speech(of_silk_road()), of_silk_road())[-1] == "3 open squares, 6 road sections left"
    assert COMPETITIVE.prospects(of_silk_road())
