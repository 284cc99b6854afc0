"""German, English, French and Italian say the same: every message, with its cells, names and numbers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import events
from companion.board import (
    BadInputError,
    CellChange,
    Change,
    Color,
    Contents,
    DealRemarks,
    HexBoard,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Terrain,
    Workshop,
)
from companion.commands import StartGame
from companion.games import rule_set
from companion.games.contract import Illegal, Legal, Player, Reason, Unfinished, is_named
from companion.games.la_strada import Account, Ground, LaStradaPosition, SettlementAccount
from companion.records.la_strada import read
from companion.words import LANGUAGES, Voice, la_strada, language_of
from companion.words.la_strada import tell_account
from companion.words.table import COMPLAINTS, EVENTS, LOSSES, TROUBLES
from tests.web.test_complaints import FACTS

ROOT = Path(__file__).parents[2]
BOARD = HexBoard(6)
G7, G8 = BOARD.cell("G7"), BOARD.cell("G8")
PLAYERS = (Player("Ada", Color.BLACK), Player("Bo", Color.RED))
POSITION = rule_set("standard").start(Ground(BOARD, dict.fromkeys(BOARD.cells, Terrain.PLAIN), {}), PLAYERS, {})
#: Numbers that no board has, so that a sentence cannot contain one by chance.
NUMBERS = {
    "days": {"cost": 41, "held": 42},
    "deal-count": {"city": 41, "town": 42, "village": 43, "hamlet": 44},
    "merchant-supply": {"needed": 41, "left": 42},
    "merchant-total": {"taken": 41, "placed": 42},
    "tile-supply": {"plain_needed": 41, "plain_left": 42, "hill_needed": 43, "hill_left": 44},
}
OF_A_PLAYER = {"merchant-color", "not-your-turn", "tile-color"}
RULES = ("standard", "two-player", "danger")
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"

foreign = pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])


def reason(code: str, *cells: str) -> Reason:
    return Reason(code, tuple(BOARD.cell(name) for name in cells), NUMBERS.get(code, {}), Color.RED)


def laid(terrain: Terrain) -> Change:
    return Change({cell: CellChange(Contents(), Contents(Road(Color.BLACK, terrain, (0, 3)))) for cell in (G7, G8)})


# Each reason in each language


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("code", sorted(la_strada.REFUSALS))
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_is_said_with_its_cells_its_numbers_and_its_player(language: str, code: str, rules: str) -> None:
    voice = Voice(PLAYERS, language, rules)
    for cells in (("G7",), ("G7", "G8")):
        (sentence,) = voice.reasons([reason(code, *cells)])
        assert sentence.startswith(", ".join(cells) + (f"{NARROW_SPACE}: " if language == "fr" else ": "))
        assert set(re.findall(r"4[1-4]", sentence)) == {str(number) for number in NUMBERS.get(code, {}).values()}
        assert ("Bo" in re.findall(r"\w+", sentence)) is (code in OF_A_PLAYER)
        assert not re.search(r"[{}]|  |\s$|[.]$", sentence)
        assert language == "en" or voice.reasons([reason(code)]) != Voice(PLAYERS, "en", rules).reasons([reason(code)])


def refusals(path: Path) -> Iterator[tuple[LaStradaPosition, Reason]]:
    """Yield every reason that the referee gives in a record, with the position in which it held."""
    record = read(json.loads(path.read_text()))
    rules, position = record.rule_set, record.start
    for tried in record.moves:
        match rules.judge_move(position, tried.move):
            case Legal(after=LaStradaPosition() as after):
                position = after
            case Illegal(reasons=reasons) | Unfinished(missing=reasons):
                yield from ((position, found) for found in reasons)
                position = rules.accept(position, tried.move) if tried.accepted else position


@pytest.mark.parametrize("rules", RULES)
def test_every_refusal_in_the_records_is_said_with_its_cells_and_numbers(records: Path, rules: str) -> None:
    found = [each for path in records.glob(f"la-strada-{rules}-?.json") for each in refusals(path)]
    assert len(found) > 20
    for language in LANGUAGES:
        for position, refusal in found:
            (sentence,) = Voice(position.players, language, rules).reasons([refusal])
            assert sentence.startswith(", ".join(map(str, refusal.cells)))
            assert {str(number) for number in refusal.numbers.values()} <= set(re.findall(r"\d+", sentence))


def test_a_rule_set_gives_another_sentence_only_to_codes_that_there_are() -> None:
    assert {*la_strada.DANGER, *la_strada.TWO_PLAYER} <= set(la_strada.REFUSALS)
    assert all(other.says != la_strada.REFUSALS[code].says for code, other in la_strada.DANGER.items())


@pytest.mark.parametrize("terrain", Terrain)
@foreign
def test_a_wrong_tile_is_named_with_what_it_lies_on(language: str, terrain: Terrain) -> None:
    def sentence(spoken: str, *cells: str) -> str:
        (found,) = Voice(PLAYERS, spoken).reasons([reason("tile-terrain", *cells)], POSITION, laid(terrain))
        return found

    both = sentence(language, "G7", "G8")
    assert both.startswith("G7, G8")
    assert sentence(language, "G7") != sentence("en", "G7")
    assert both.replace(", G8", "") != sentence(language, "G7"), "several tiles are named as if they were one"


@pytest.mark.parametrize(
    ("language", "days", "merchants"),
    [
        ("de", ("0 Reisetage", "1 Reisetag", "2 Reisetage"), ("1 Händlerstein", "3 Händlersteine")),
        ("en", ("0 days", "1 day", "2 days"), ("1 merchant", "3 merchants")),
        ("fr", ("0 jour de voyage", "1 jour de voyage", "2 jours de voyage"), ("1 pion marchand", "3 pions marchands")),
        ("it", ("0 risorse", "1 risorsa", "2 risorse"), ("1 mercante", "3 mercanti")),
    ],
)
def test_days_and_merchants_have_the_plural_of_the_language(
    language: str, days: tuple[str, ...], merchants: tuple[str, ...]
) -> None:
    for words in (*days, *merchants):
        number = {"cost" if words in days else "needed": int(words[0]), "held": 9, "left": 0}
        code = "days" if words in days else "merchant-supply"
        (sentence,) = Voice((), language).reasons([Reason(code, (G7,), number)])
        assert f" {words}, " in sentence


def test_gold_below_nothing_has_the_plural_of_its_size() -> None:
    counted = Account((), {Color.RED: 0}, {Color.RED: -2}, {Color.RED: 0}, ())
    assert tell_account(Voice(PLAYERS, "fr"), counted) == (
        f"Bo{NARROW_SPACE}: -2 pièces d’or, 0 jour de voyage restant",
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reason_without_cells_begins_with_a_capital_unless_with_a_name(language: str) -> None:
    (over, turn) = Voice((Player("ömer", Color.RED),), language).reasons([reason("game-over"), reason("not-your-turn")])
    assert over[0].isupper()
    assert "ömer" in turn


# Events, the standing and the score

MANY = Merchants(black=2, red=1)
ACCOUNT = Account(
    (
        SettlementAccount(G7, SettlementType.CITY, Merchants(black=1), 5, Merchants(black=1)),
        SettlementAccount(G7, SettlementType.TOWN, MANY, 2, MANY),
        SettlementAccount(G7, SettlementType.HAMLET, MANY, 0, MANY),
        SettlementAccount(G7, SettlementType.VILLAGE, MANY, 1, Merchants(black=1)),
        SettlementAccount(G7, SettlementType.CITY, Merchants(black=2, red=2), 2, Merchants()),
    ),
    {Color.BLACK: 1, Color.RED: 2},
    {Color.BLACK: 8, Color.RED: 1},
    {Color.BLACK: 1, Color.RED: 0},
    (Color.BLACK,),
)
REFUSALS = (
    "no-game", "no-reading", "game-over", "nothing-to-undo", "nothing-to-accept", "cannot-accept", "nothing-offered",
    "paused", "not-paused",
)  # fmt: skip
READ = Road(Color.BLACK, Terrain.PLAIN, (0, 3))
MISREAD = events.MoveRefused(
    Color.BLACK,
    (),
    Change({G7: CellChange(Contents(), Contents(READ, Merchants(black=1)))}),
    POSITION,
    suggestions=tuple(
        events.Suggestion(cell, contents)
        for cell, contents in [
            (G7, Contents(READ, Merchants(black=3))),
            (G7, Contents(READ)),
            (G7, Contents()),
            (G7, Contents(Road(Color.BLACK, Terrain.PLAIN, (0, 2)), Merchants(black=1))),
            (G7, Contents(Road(Color.RED, Terrain.PLAIN, (0, 3)), Merchants(black=1))),
            (G7, Contents(Road(Color.RED, Terrain.HILL, (0, 2)))),
        ]
    ),
)
#: Read as bare where a settlement should lie; with the settlement it would be right.
GONE = events.MoveRefused(
    Color.BLACK,
    (),
    Change({G8: CellChange(Contents(Settlement(SettlementType.CITY)), Contents())}),
    rule_set("standard").start(Ground(BOARD, {}, {G8: SettlementType.CITY}), PLAYERS, {}),
    suggestions=(events.Suggestion(G8, Contents(Settlement(SettlementType.CITY))),),
)
HAPPENED: list[events.Event] = [
    events.GameDealt(StartGame(PLAYERS), POSITION),
    events.DealRefused(()),
    events.DealUnclear((G7,), hidden=False),
    events.DealUnclear((G7,), hidden=True),
    events.WorkshopPlaced(Color.BLACK, G7, POSITION),
    events.TurnTaken(Color.BLACK, laid(Terrain.PLAIN), 6, 4, POSITION),
    events.TurnTaken(Color.BLACK, Change({}), 0, 6, POSITION),
    events.MoveRefused(Color.BLACK, (), Change({}), POSITION),
    events.MoveRefused(Color.BLACK, (), Change({}), POSITION, is_unfinished=True),
    events.MoveRefused(Color.RED, (), laid(Terrain.PLAIN), POSITION),
    events.MoveRefused(Color.RED, (reason("tile-removed", "G7"),), Change({}), POSITION, is_disturbed=True),
    events.MoveHidden(Color.BLACK, (G7,)),
    events.MoveUnclear(Color.BLACK, (G7, G8)),
    events.MoveUnclear(Color.BLACK, (G7, G8), are_heaps=True),
    events.MoveUnclear(Color.BLACK, BOARD.cells[:7]),
    events.MoveAccepted(Color.BLACK, (), Change({}), POSITION),
    events.MoveAccepted(Color.BLACK, (reason("dead-end", "G7"),), Change({}), POSITION),
    events.SavingAsked(Color.RED),
    events.SequenceOffered((Color.BLACK, Color.RED), (laid(Terrain.PLAIN), Change({}))),
    events.RereadingOffered(G7, Contents(), Contents(READ), 1),
    events.RereadingOffered(G7, Contents(), Contents(READ), 3),
    events.TurnBegan(Color.RED, "turn", 6),
    events.TurnBegan(Color.RED, "workshop", 0),
    events.MarkersDiffer(
        {Color.RED: events.Marker(8, 0), Color.BLACK: events.Marker(None, 2), Color.GREY: events.Marker(8, 9)}
    ),
    events.GameOver((Color.BLACK,), POSITION),
    events.GameOver((Color.BLACK, Color.RED), POSITION),
    events.GameOver((Color.BLACK,), POSITION, early=True),
    events.MovesUndone(Color.RED, 2, (G7, G8), POSITION),
    events.MovesUndone(None, 1, (G7,), POSITION),
    events.GameSetBack(41, POSITION),
    events.CellCorrected(G7, Contents()),
    events.CellReread(G7, Contents(), POSITION),
    events.PlayersNamed(tuple(PLAYERS)),
    events.GamePaused(),
    events.GameResumed(),
    events.DealRemarked(DealRemarks(is_layout_known=False, stops=1.5, poor=(G7,), poor_tracks=(Color.RED,))),
    events.DealRemarked(
        DealRemarks(is_layout_new=True, stops=-1.5, poor=(G7, G8), poor_tracks=(Color.RED, Color.BLACK))
    ),
    events.GameTakenUp(StartGame(PLAYERS), POSITION),
    events.GameTakenUp(StartGame(PLAYERS), POSITION, "41."),
    *(events.GameTakenUp(StartGame(PLAYERS), POSITION, loss=events.Loss(code, "41", 42, 43)) for code in LOSSES),
    events.PressLapsed(Color.RED),
    events.PressLapsed(Color.RED, (G7, G8)),
    events.PressCrossed(),
    *(events.CameraLost("41.", code) for code in TROUBLES),
    events.CameraBack(),
    events.CameraTurned(is_upside_down=True),
    events.CameraTurned(is_upside_down=False),
    *(events.CommandRefused(code) for code in REFUSALS),
]


def everything_said(language: str) -> list[str]:
    voice = Voice(PLAYERS, language)
    lying = (Contents(Road(Color.RED, Terrain.HILL, (0, 3))), Contents(Workshop(Color.BLACK), Merchants(red=2)))
    standings = (voice.standing(events.Standing(outlook, Color.RED, (), (G7,))) for outlook in events.Outlook)
    told = [
        *map(voice.sentences, HAPPENED),
        *map(voice.suggestions, (MISREAD, GONE)),
        tell_account(voice, ACCOUNT),
        voice.result(rule_set("standard").end(POSITION, {Color.BLACK: 2, Color.RED: 1})),
        *standings,
        (voice.impossible(), *voice.getting_ready()),
        [voice.complaint(BadInputError("41", code, **FACTS.get(code, {}))) for code in COMPLAINTS],
        [voice.complaint(BadInputError("41")), *(voice.loss(events.Loss(code, "41", 42, 43)) for code in LOSSES)],
        [voice.lies(G7, contents) for contents in (*lying, Contents())],
    ]
    return [sentence for sentences in told for sentence in sentences]


@pytest.mark.parametrize("code", sorted(EVENTS))
def test_nothing_that_can_be_said_is_left_out_here(code: str) -> None:
    message = EVENTS[code]
    patterns = [re.sub(r"\\{\w+\\}", ".+", re.escape(form)) for form in (message.one, message.several) if form]
    for pattern in patterns:
        assert any(re.fullmatch(pattern, sentence) for sentence in everything_said("en")), pattern


def test_no_event_is_left_without_a_sentence_but_the_word_of_the_lamp() -> None:
    """What is so before anybody presses is said by `Voice.standing`, as long as it is so."""
    silent = set(get_args(events.Event)) - {type(event) for event in HAPPENED if Voice(PLAYERS).sentences(event)}
    assert silent == {events.StandingChanged}


@foreign
def test_whatever_happens_is_said_in_the_language_with_the_same_names_numbers_and_cells(language: str) -> None:
    for english, sentence in zip(everything_said("en"), everything_said(language), strict=True):
        if not english.startswith("Grey"):  # a colour that nobody plays is a word, not a name
            assert sorted(facts(sentence)) == sorted(facts(english)), sentence
        assert sentence != english
        assert not re.search(r"[{}]|  |\s$|[.]$", sentence)


def facts(sentence: str) -> list[str]:
    return re.findall(r"\b(?:Ada|Bo|-?\d+|[A-Z]\d+)\b", sentence)


@pytest.mark.parametrize("language", LANGUAGES)
@given(name=st.text(min_size=1, max_size=12).filter(lambda name: is_named(name, Color.RED)))
def test_any_name_is_said_as_it_is(language: str, name: str) -> None:
    voice = Voice((Player(name, Color.RED), Player("Ada", Color.BLACK)), language)
    told = [
        *voice.reasons([reason(code, "G7") for code in sorted(OF_A_PLAYER)]),
        *voice.sentences(events.TurnBegan(Color.RED, "turn", 6)),
        *voice.sentences(events.MoveHidden(Color.RED, (G7,))),
        *voice.sentences(events.GameOver((Color.RED, Color.BLACK), POSITION))[1:],
    ]
    assert len(told) == 6
    assert all(name in sentence for sentence in told)


@pytest.mark.parametrize("name", ["{0}", "{cells}", "{", "}}", "%s", "{player.color}"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_with_braces_fills_no_place(language: str, name: str) -> None:
    voice = Voice((Player(name, Color.RED),), language)
    assert voice.sentences(events.GameOver((Color.RED,), POSITION))[1].startswith(f"{name} ")
    assert name in voice.reasons([reason("tile-color", "G7")])[0]


@pytest.mark.parametrize(("language", "said"), [("en", "Red"), ("de", "Rot"), ("fr", "Rouge"), ("it", "Rosso")])
def test_whoever_has_only_a_colour_is_called_by_it_in_the_readers_language(language: str, said: str) -> None:
    voice = Voice((Player("Red", Color.RED), Player("Black Jack", Color.BLACK)), language)
    assert voice.name(Color.RED) == said
    assert voice.name(Color.BLACK) == "Black Jack"
    assert said in voice.sentences(events.TurnBegan(Color.RED, "turn", 6))[0]


# Which language


def test_a_language_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    with pytest.raises(BadInputError, match=rf"language 'la' .* {', '.join(LANGUAGES)}"):
        Voice(PLAYERS, "la")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "fr_CH.UTF-8"}, "fr"),
        ({"LANG": "it"}, "it"),
        ({"LANG": "de_DE@euro"}, "de"),
        ({"LANG": "DE_at.ISO-8859-1"}, "de"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "en"),
        ({"LANG": "fro"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({}, "en"),
        ({"LC_MESSAGES": "it_IT", "LANG": "fr_FR"}, "it"),
        ({"LC_ALL": "de_DE", "LC_MESSAGES": "it_IT", "LANG": "fr_FR"}, "de"),
        ({"LC_ALL": "", "LANG": "fr_FR"}, "fr"),
        ({"LC_ALL": "C", "LANG": "fr_FR"}, "en"),
    ],
)
def test_the_environment_says_which_language(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language
