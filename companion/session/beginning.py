"""A game begins: with a deal that is right, or late, once people play on one that was refused or could not be read."""

from __future__ import annotations

from dataclasses import replace

from companion.board import Reading
from companion.commands import StartGame
from companion.events import DealRefused, DealUnclear, GameDealt
from companion.games.contract import Dealt, RuleSet
from companion.session.deal import (
    Refused,
    Unreadable,
    deal_as_it_lies,
    has_begun,
    read_deal,
)
from companion.session.doubts import doubts_of
from companion.session.state import State, Step
from companion.session.turns import markers_differ, next_turn


def deal(rules: RuleSet, state: State, game: StartGame, reading: Reading) -> Step:
    """Begin the game with what lies there; a deal that is not right leaves a game in progress as it is.

    Where it is in doubt people are asked once: asked for again, with the same doubts, it is as likely as it may be.
    Whoever has answered some of them is asked for the others.
    """
    was_asked = state.position is None and state.game == game and doubts_of(reading) == state.doubted
    dealt = read_deal(rules, reading, was_asked)
    if not isinstance(dealt, Refused | Unreadable):
        return _begun(rules, state, game, dealt, reading)
    if state.position is None or state.position.over:
        state = replace(state, game=game, position=None)
    match dealt:
        case Refused(reasons=reasons):
            return state, (DealRefused(reasons),)
        case Unreadable(cells=cells, hidden=hidden):
            if state.position is None:
                state = replace(state, doubted=doubts_of(reading))
            return state, (DealUnclear(cells, hidden),)


def begin_late(rules: RuleSet, state: State, reading: Reading) -> Step:
    """Begin the game whose deal was refused or unreadable: as it is read now, or as it lies once people play."""
    assert state.game is not None, "no game was asked for"
    bare = rules.before_play(reading)
    ground = read_deal(rules, bare)
    if isinstance(ground, Refused | Unreadable) and has_begun(reading):
        ground = deal_as_it_lies(rules, bare) or ground
    if isinstance(ground, Refused | Unreadable):
        return state, ()
    return _begun(rules, state, state.game, ground, reading)


def _begun(rules: RuleSet, state: State, game: StartGame, ground: Dealt, reading: Reading) -> Step:
    position = rules.start(ground, game.players, game.options)
    state = State(
        game,
        position,
        marks=dict.fromkeys(position.days, 0),
        corrections=state.corrections,
        covered=reading.occluded,
        doubted=doubts_of(reading),
    )
    return state, (GameDealt(game, position), next_turn(position), *markers_differ(state, reading))
