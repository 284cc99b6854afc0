"""Presses are counted: a done that could not be decided stays pending, and is explained together with the next.

The table is first tried as the pending player's move alone: after `hidden` the player was told to press again, and
after `unclear` they may have put something right and pressed again. Only then is it tried as their move followed by the
next players' moves, in seat order. Each of these is judged by what was seen at that player's press, or by the pieces of
their colour on the table now. The first explanation in which every move is legal holds. If there is none, but all moves
except the last are legal, those stand and the last is refused as its own player's move (after `hidden`, only if that
player's pieces are there). Otherwise all of it is refused as the pending player's move. A player who saved days is
recognised by their marker.

A refused press is remembered too. If play went on, and everything on the table is now a legal turn of the refused
player followed by legal turns of the next players, then the player put it right without saying so, or was misread.

Some explanations are only offered, and the table may say yes to them: saving the days, the moves of several players,
another reading.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from companion.board import Cell, Contents, PlayerColor, Reading, in_board_order
from companion.events import Offered, RereadingOffered, SavingAsked, SequenceOffered
from companion.games.contract import Illegal, Legal, Position, RuleSet, Unclear
from companion.session.changes import has_pieces_of, seen_change, with_others_merchants
from companion.session.doubts import Table, doubts_of
from companion.session.table import Weighed, is_marked
from companion.session.thumb import possible_moves, weigh

#: How many undecided presses are explained together with the next.
_MOST_EXPLAINED = 3


class Unsettled(Enum):
    """Why a press may not have been the last word on its move."""

    HIDDEN = auto()
    UNCLEAR = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True)
class Press:
    """A done that made no move: the reading at that time, the reason, and the cells that people were asked about.

    `is_weighed`: its possible meanings are among the state's rivals.
    """

    reading: Reading
    why: Unsettled
    cells: tuple[Cell, ...] = ()
    is_weighed: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """One move of an explanation: the position before it, and its verdict.

    `as_it_lies`: it was refused or asked about, and people played on.
    """

    before: Position
    weighed: Weighed
    as_it_lies: bool = False

    @property
    def player(self) -> PlayerColor:
        """Whose move it is."""
        assert self.before.next is not None, "a move after the end"
        return self.before.next

    @property
    def after(self) -> Position | None:
        """The position it makes; None if it is not legal."""
        verdict = self.weighed.verdict
        return verdict.after if isinstance(verdict, Legal) else None


def explain(rules: RuleSet, position: Position, table: Table, pending: Sequence[Press]) -> tuple[Move, ...]:
    """Return the moves that explain the table, oldest first; all of them legal except perhaps the last."""
    alone = Move(position, weigh(rules, position, table))
    if not pending:
        return (alone,)
    if alone.after is not None:
        return _with_saving(rules, (alone,), table, pending)
    chains: list[tuple[set[Unsettled], tuple[Move, ...]]] = []
    for count in range(1, min(len(pending), _MOST_EXPLAINED) + 1):
        explained = pending[-count:]
        # Colours alone cannot tell two moves of one player apart.
        for presses in (explained, [None] * count) if count < len(position.players) else (explained,):
            if chain := _chain(rules, position, table, presses):
                chains.append(({press.why for press in explained}, chain))
    for _, chain in chains:
        if chain[-1].after is not None and has_pieces_of(chain[-1].weighed.change, chain[-1].player):
            return _with_saving(rules, chain, table, pending)
    for whys, chain in sorted(chains, key=lambda each: (_has_others_pieces(each[1][-1]), -len(each[1]))):
        if whys == {Unsettled.UNCLEAR} or (Unsettled.REFUSED not in whys and _is_anothers(chain)):
            return chain
    # People were asked about this and nobody has answered: later pieces cannot be judged without it.
    asked = {cell for press in pending if press.why is Unsettled.UNCLEAR for cell in press.cells}
    if (open_cells := asked & table.reading.abstained) and _has_others_pieces(alone):
        unclear = Unclear(in_board_order(open_cells), hidden=False)
        return (replace(alone, weighed=replace(alone.weighed, verdict=unclear)),)
    return (alone,)


def forgotten(rules: RuleSet, position: Position, table: Table) -> tuple[Move, ...]:
    """Return legal moves of several players, in seat order, that explain the table if nobody pressed; empty if none do.

    The first and the last player have laid something; those between may have saved their days.
    """
    for count in range(1, len(position.players)):
        chain = _chain(rules, position, table, [None] * count, each_his_own=True)
        if not chain or chain[-1].after is None or not chain[0].weighed.change:
            continue
        if has_pieces_of(chain[-1].weighed.change, chain[-1].player):
            return chain
    return ()


def _chain(
    rules: RuleSet, position: Position, table: Table, presses: Sequence[Press | None], *, each_his_own: bool = False
) -> tuple[Move, ...]:
    """Return a move for each press and one for the table as it is, in seat order; empty if one is not legal.

    Each move but the last is judged by what was seen at its press, and by what is seen now on cells that could not be
    seen then. If its press is None, only what is seen now counts. The last move need not be legal. `each_his_own`:
    merchants that another player took away belong to that player's move, and are no fault of the one before.
    """
    moves: list[Move] = []
    for press in presses:
        player = position.next
        if player is None:
            return ()
        then = table if press is None else replace(table, reading=_filled(press.reading, table.reading))
        if each_his_own:
            then = replace(then, reading=with_others_merchants(then.reading, position.expected(), player))
        move = Move(position, weigh(rules, position, then, only=player))
        if isinstance(move.weighed.verdict, Unclear):
            # People played on, so they took this move to be legal: if only one answer makes it so, it was that one.
            possible = move.weighed.likely
            if possible is None:
                possible = possible_moves(rules, position, then, player)
            if len(possible) != 1:
                return ()
            move = Move(position, possible[0])
            settled = doubts_of(table.reading) & (table.asked_before if press is None else doubts_of(press.reading))
            table = replace(table, doubted_before=table.doubted_before | settled)
        if move.after is None:
            return ()
        moves.append(move)
        position = move.after
    if position.next is None:
        return ()
    last = Move(position, weigh(rules, position, replace(table, is_anew=False)))
    return (*moves, last) if last.weighed.change else ()


def _filled(then: Reading, now: Reading) -> Reading:
    """Return the earlier reading, with what is seen now on the cells that it did not commit itself to."""
    taken = then.abstained - now.abstained
    open_cells = then.abstained & now.abstained
    return replace(
        then,
        cells={**then.cells, **{cell: now.cells[cell] for cell in taken | open_cells if cell in now.cells}},
        occluded=open_cells & now.occluded,
        unclear=open_cells & now.unclear,
    )


def _is_anothers(chain: Sequence[Move]) -> bool:
    """Whether both the first and the last player have laid something: then it was not the first who pressed again."""
    return bool(chain[0].weighed.change) and has_pieces_of(chain[-1].weighed.change, chain[-1].player)


def _with_saving(rules: RuleSet, moves: tuple[Move, ...], table: Table, pending: Sequence[Press]) -> tuple[Move, ...]:
    """Return the legal moves, and one more if the new press was by the next player, who saves their days.

    That is so if there were enough presses, and the next player's marker has gone from where it stood to where saving
    puts it. Otherwise somebody has pressed again, as people do after `hidden`.
    """
    after = moves[-1].after
    if pending[-1].why is Unsettled.HIDDEN or len(moves) > len(pending) or after is None or after.next is None:
        return moves
    if after.phase != "turn" or after.next not in after.days:  # without days there are no markers
        return moves
    if not is_marked(table, after, after.days[after.next]):
        return moves
    saving = Move(after, weigh(rules, after, table))
    return (*moves, saving) if saving.after is not None else moves


def _has_others_pieces(move: Move) -> bool:
    others = (player.color for player in move.before.players if player.color != move.player)
    return any(has_pieces_of(move.weighed.change, color) for color in others)


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer, and what was on the cells that differed from the books when it was made.

    An offer of another reading concerns only its own cell: then `shown` is empty.
    """

    what: Offered
    shown: Mapping[Cell, Contents]

    def is_shown(self, position: Position, reading: Reading) -> bool:
        """Whether the table still shows what the offer is about; cells that cannot be seen now are taken on trust."""
        if isinstance(self.what, RereadingOffered):
            cell = self.what.cell
            return cell in reading.abstained or reading.contents(cell) == self.what.seen
        shown = {cell: contents for cell, contents in self.shown.items() if cell not in reading.abstained}
        return shown == shown_by(position, reading)

    @property
    def is_lasting(self) -> bool:
        """Whether it opens again whenever the table shows it again; other offers lapse for good."""
        return isinstance(self.what, RereadingOffered)


def shown_by(position: Position, reading: Reading) -> dict[Cell, Contents]:
    """Return the contents of the cells that differ from the books."""
    return {cell: seen.now for cell, seen in seen_change(reading, position.expected()).cells.items()}


def offer_for(rules: RuleSet, position: Position, table: Table, moves: Sequence[Move]) -> Offer | None:
    """Return what to ask a player whose press these moves explain; None if the meaning is clear."""
    move, *more = moves
    if more:
        return None
    if move.before.phase == "turn" and move.after is not None and not move.weighed.change:
        return Offer(SavingAsked(move.player), shown_by(position, table.reading))
    match move.weighed.verdict:
        case Illegal() | Unclear(hidden=False):
            chain = forgotten(rules, position, table)
            return Offer(sequence_of(chain), shown_by(position, table.reading)) if chain else None
        case _:
            return None


def sequence_of(moves: Sequence[Move]) -> SequenceOffered:
    """Return the offer to take these moves."""
    return SequenceOffered(tuple(move.player for move in moves), tuple(move.weighed.change for move in moves))
