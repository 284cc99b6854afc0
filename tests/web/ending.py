"""Games that have ended, one for each set of rules, and how the scoreboard shows their last moves."""

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

from bench.made_up import People
from companion.events import Outlook
from companion.games import RULE_SETS, score
from companion.games.contract import Legal, Player, Position
from companion.games.silk_road import COMPETITIVE, COOPERATIVE, Placement, SilkRoadPosition
from companion.logbook import Logbook
from companion.scoreboard import Notice, Snapshot
from companion.scoreboard.snapshot import Words
from companion.session import Session
from companion.system.pictures import jpeg
from companion.words import LANGUAGES, Voice
from tests.games.silk_road.table import ground
from tests.once import filled
from tests.web.books import Shown

SILK = (COMPETITIVE.name, COOPERATIVE.name)


def ended(folder: Path, rules: str, seed: int = 3) -> Position:
    """Let made-up people play a whole game of La Strada into that folder's logbook; return its end."""

    def play(folder: Path) -> Position:
        session = Session()
        with Logbook(folder, "kitchen", encode=jpeg) as logbook:
            for reading, command in People(seed, rules=(rules,)).presses(session, 600):
                events = session.see(reading) + session.obey(command)
                logbook.record(events, session.state, Shown(reading))
                if session.position is not None and session.position.over:
                    assert logbook.trouble is None
                    return session.position
        raise AssertionError("the game did not end")

    return filled(folder, ("ended", rules, seed), play)


@cache
def end_of(rules: str, seed: int = 3) -> Position:
    """Return the end of a game by those rules."""
    if rules in SILK:
        return _silk_road(rules, seed)
    session = Session()
    for reading, command in People(seed, rules=(rules,)).presses(session, 600):
        session.see(reading)
        session.obey(command)
        if session.position is not None and session.position.over:
            return session.position
    raise AssertionError("the game did not end")


def _silk_road(rules: str, seed: int) -> Position:
    rng, rule_set = random.Random(seed), RULE_SETS[rules]
    players = [Player("Ada", "green"), Player("Bo", "brown"), Player("Cy", "blue")]
    position: Position = rule_set.start(ground(), players, {})
    while position.next is not None:
        assert isinstance(position, SilkRoadPosition)
        laying = rng.choice(position.hand(position.next))
        move = Placement(position.next, laying.section.id, rng.choice(position.open_ways), rng.randrange(4))
        verdict = rule_set.judge_move(position, move)  # type: ignore[attr-defined]
        assert isinstance(verdict, Legal)
        position = verdict.after
    return position


def shown(position: Position, before: Snapshot | None = None) -> Snapshot:
    """Return what the scoreboard shows of it in each language."""
    words = {}
    for language in LANGUAGES:
        voice = Voice(position.players, language, position.rules_name)
        title, *others = voice.counted(position)
        words[language] = Words(Notice("end", title, tuple(others)), lines=voice.lines(score(position).lines))
    snapshot = (before or Snapshot()).with_position(position)
    return replace(snapshot, outlook=Outlook.OVER, words=words).saying(words["en"])


def still_playing(position: Position) -> Snapshot:
    """Return the same table with the game still going on, as when its end is taken back."""
    playing = replace(position, next=position.players[0].color)  # type: ignore[type-var]
    return replace(Snapshot().with_position(playing), outlook=Outlook.UNCHANGED)
