"""The deal: the settlements on the board when a game begins become its ground, or are refused, or cannot be read yet.

A game begins with a right deal, or later, when people start playing on one that was refused or could not be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from companion.board import BARE, PLAYERS_TILES, Cell, CellReading, Reading, Tile, in_board_order
from companion.commands import StartGame
from companion.events import DealRefused, DealUnclear, GameDealt
from companion.games.contract import Dealt, RuleSet
from companion.session.doubts import combinations_of, count_of, doubts_of
from companion.session.state import Outcome, State
from companion.session.turns import markers_differ, next_turn

#: No more combinations of doubtful settlements than this are tried.
MOST_TRIALS = 256

#: A right deal is taken if it is this likely, among all right deals.
_SURE = 0.95


def read_deal(rules: RuleSet, reading: Reading, was_asked: bool = False) -> Dealt | DealRefused | DealUnclear:
    """Return the ground of a new game, or why there is none: what is wrong, or the cells that it depends on.

    A box holds a known number of pieces of each kind, and they are placed as the rules say. So if some cells are in
    doubt, the likeliest answers that make a right deal are taken. If no answers of the reader make one, the rest of the
    box goes to the cells in doubt, if there is only one way to place it. It goes there in the likeliest way if people
    were asked about the same doubts before (`was_asked`) and said nothing. If the reader says how likely its answers
    are, the likeliest way is taken if it is far likelier than all others. A deal is refused only if no doubt could make
    it right.
    """
    if unknown := rules.unknown(reading):
        return DealUnclear(unknown, any(cell in reading.occluded for cell in unknown))
    completed = rules.completed_deals(reading)
    if len(completed) > 1 and any(reading.cells[cell].shares for cell in reading.unclear):
        if not was_asked and completed[0][1] < _SURE:
            return DealUnclear(_differing(completed), hidden=False)
        if (ground := rules.ground(completed[0][0])) is not None:
            return ground
    for answer in _answers(reading):
        if not rules.check_deal(answer) and (ground := rules.ground(answer)) is not None:
            return ground
    if len(completed) == 1 or (completed and was_asked):
        ground = rules.ground(completed[0][0])
        if ground is not None:
            return ground
    if reading.abstained:
        return DealUnclear(in_board_order(reading.abstained), bool(reading.occluded))
    return DealRefused(rules.check_deal(reading))


def deal_as_it_lies(rules: RuleSet, reading: Reading) -> Dealt | None:
    """Return the ground of a deal that was refused or in doubt, but on which people started to play.

    Cells in doubt hold the rest of the box, else the reader's likeliest answer. None if too little is known of a
    cell.
    """
    if rules.unknown(reading):
        return None
    if completed := rules.completed_deals(reading):
        return rules.ground(completed[0][0])
    likeliest = {
        cell: replace(read, contents=read.alternatives[0])
        for cell, read in reading.cells.items()
        if cell in reading.unclear and read.alternatives
    }
    return rules.ground(replace(reading, cells={**reading.cells, **likeliest}))


def _differing(deals: Sequence[tuple[Reading, float]]) -> tuple[Cell, ...]:
    """Return the cells on which the likeliest deal has another tile than others that are not far less likely.

    First comes the cell whose answer leaves the likeliest deal most likely, on average: it may settle the others.
    """
    likeliest, total = deals[0]
    differing: set[Cell] = set()
    for deal, share in deals[1:]:
        if total >= _SURE:
            break
        total += share
        differing |= {
            cell for cell, read in deal.cells.items() if read.contents.tile != likeliest.cells[cell].contents.tile
        }

    def settled_by(cell: Cell) -> float:
        likely: dict[Tile | None, float] = {}
        for deal, share in deals:
            tile = deal.cells[cell].contents.tile
            likely[tile] = max(likely.get(tile, 0.0), share)
        return round(sum(likely.values()), 9)

    return tuple(sorted(in_board_order(differing), key=settled_by, reverse=True))


def _answers(reading: Reading) -> Iterator[Reading]:
    """Yield the reading as it is, then with the alternatives of the unclear cells, likeliest first."""
    yield reading
    options = {
        cell: reading.cells[cell].alternatives
        for cell in in_board_order(reading.unclear)
        if cell in reading.cells and reading.cells[cell].alternatives
    }
    if not options or count_of(options) > MOST_TRIALS:
        return
    for combination in combinations_of(options, MOST_TRIALS):
        chosen = {cell: replace(reading.cells[cell], contents=contents) for cell, contents in combination.items()}
        yield replace(reading, cells={**reading.cells, **chosen})


def deal(rules: RuleSet, state: State, game: StartGame, reading: Reading) -> Outcome:
    """Begin the game with the settlements on the table; a deal that is not right leaves a game in progress as it is.

    If the deal is in doubt, people are asked once, and the game begins as soon as their answers leave one deal
    (companion.session.decisions.correct). At a second request with the same doubts, the likeliest deal is taken. If
    people have answered some of the doubts, they are asked about the others.
    """
    was_asked = state.position is None and state.game == game and doubts_of(reading) == state.doubted
    dealt = read_deal(rules, reading, was_asked)
    if not isinstance(dealt, DealRefused | DealUnclear):
        return _begun(rules, state, game, dealt, reading)
    if state.position is None or state.position.over:
        state = replace(state, game=game, position=None)
    if state.position is None:
        state = replace(state, doubted=doubts_of(reading) if isinstance(dealt, DealUnclear) else frozenset())
    return state, (dealt,)


def begin_late(rules: RuleSet, state: State, reading: Reading) -> Outcome:
    """Begin the game whose deal was refused or unreadable: if it can be read now, or as it lies once people play."""
    assert state.game is not None, "no game was asked for"
    bare = rules.before_play(reading)
    ground = read_deal(rules, bare)
    has_begun = any(_is_played(read) for read in reading.cells.values())
    if isinstance(ground, DealRefused | DealUnclear) and has_begun:
        ground = deal_as_it_lies(rules, bare) or ground
    if isinstance(ground, DealRefused | DealUnclear):
        return state, ()
    return _begun(rules, state, state.game, ground, reading)


def _is_played(read: CellReading) -> bool:
    """Whether a piece that was not dealt seems to be there: a player's tile, or merchants on bare ground."""
    likeliest = read.alternatives[0] if read.alternatives and read.contents == BARE else read.contents
    return isinstance(likeliest.tile, PLAYERS_TILES) or (likeliest.tile is None and likeliest != BARE)


def _begun(rules: RuleSet, state: State, game: StartGame, ground: Dealt, reading: Reading) -> Outcome:
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
