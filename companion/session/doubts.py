"""Cells in doubt: their likely contents, which of them a move has a reason to touch, and what they are taken for.

A doubt matters to a verdict if the move could have touched the cell: on and next to what changed, from there along
further doubts, and, on a table that did not change, anywhere that a piece of the player in turn may be. The same goes
for a cell from which another player's merchants seem to have gone to one of these, or come from there. Any other cell
is taken to hold what the books hold, its last accepted state. There are two exceptions: the reader holds something
likelier that the player may have done there (`OpenCell.likelier`), or it knows nothing about the cell at all
(`OpenCell.is_blank`).

`companion.session.answers` says what a cell in doubt may hold, and how likely.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from companion.board import (
    BARE,
    Cell,
    CellChange,
    CellReading,
    Change,
    Contents,
    Merchants,
    PlayerColor,
    Reading,
    in_board_order,
)
from companion.games.contract import Position, RuleSet
from companion.session.answers import best_first, is_plausible, likely, shares_on
from companion.session.changes import Crowds, crowds_of, has_pieces_of, near, of_color

#: No more combinations of doubtful cells than this are tried.
MOST_TRIALS = 64

#: The reader says little about a cell if its answers' shares sum up to less than this.
_TELLING = 0.5

#: New pieces of the player in turn count as answers if together they are this likely.
_OWN = 0.03

#: Up to so many of a player's merchants can be counted from above; more of them are a heap.
FEW = 2


@dataclass(frozen=True, slots=True)
class Doubt:
    """A cell in doubt, and the reader's likeliest answer; None if it has none."""

    cell: Cell
    likeliest: Contents | None


def doubts_of(reading: Reading) -> frozenset[Doubt]:
    """Return all doubts of a reading."""
    return frozenset(doubt_of(reading, cell) for cell in reading.unclear)


def doubt_of(reading: Reading, cell: Cell) -> Doubt:
    """Return the reading's doubt about an unclear cell."""
    answers = reading.cells.get(cell, CellReading()).alternatives
    return Doubt(cell, answers[0] if answers else None)


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A cell in doubt: its contents in the books, and its likely contents, likeliest first; empty if nobody knows.

    `is_near`: the move may have touched it. `is_walked`: and another player's merchants seem to have gone from here to
    another cell, or come from there. `is_remembered`: an earlier press that was decided or asked about had the
    same doubt; `is_asked`: it was asked about and not decided yet. `is_own`: a new piece of the player in turn is among
    the answers. `is_guessed`: the reader names no answer. `is_odd`: what was seen there is impossible. `is_named`: what
    the books hold is the likeliest answer, and not a faint one, or is what is seen there if the reader names none.
    `shares` says how likely the reader holds each possible content; it is empty if that is not known. `fit` is how well
    what is possible fits what the reader names (`companion.session.answers.shares_on`).
    """

    cell: Cell
    held: Contents
    answers: tuple[Contents, ...]
    is_near: bool = False
    is_walked: bool = False
    is_remembered: bool = False
    is_asked: bool = False
    is_own: bool = False
    is_guessed: bool = False
    is_odd: bool = False
    is_named: bool = False
    shares: Mapping[Contents, float] = field(default_factory=dict)
    fit: float = 1.0

    @property
    def is_kept(self) -> bool:
        """Whether it is taken for what the books hold, as long as nothing contradicts that."""
        return self.is_remembered or not self.is_near or not self.answers or self.held in self.answers

    @property
    def is_settled(self) -> bool:
        """Whether memory or the reader's likeliest answer says that it holds what the books hold."""
        return self.is_remembered or self.is_named

    @property
    def is_faint(self) -> bool:
        """Whether the reader holds it likelier that the cell has something it does not name."""
        return 0 < sum(self.shares.values()) < _TELLING and not self.is_settled

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known about it: the reader names nothing, sees nothing, and had no such doubt before."""
        return self.is_guessed and not self.is_settled

    def likelier(self, player: PlayerColor | None) -> tuple[Contents, ...]:
        """Return what the reader holds likelier than the books, if the player in turn may have done it.

        Others' merchants stay as in the books: the player has no reason to touch them.
        """
        if self.is_settled or self.is_guessed:
            return ()
        count = self.answers.index(self.held) if self.held in self.answers else len(self.answers)
        own = [self.mine(each, player) for each in self.answers[:count]]
        return tuple(each for each in dict.fromkeys(own) if each != self.held)

    def mine(self, contents: Contents, player: PlayerColor | None) -> Contents:
        """Return contents with everybody's merchants as in the books, except the player's."""
        if player is None:
            return contents
        merchants, held = contents.merchants, self.held.merchants
        return replace(contents, merchants=merchants.least(held, but=player).most(held, but=player))

    @property
    def taken(self) -> Contents:
        """The contents that it is taken to have at first."""
        return self.held if self.is_kept else self.answers[0]

    @property
    def others(self) -> tuple[Contents, ...]:
        """Other possible contents, likeliest first; those of the books last, if the reader does not name them."""
        return tuple(each for each in dict.fromkeys((*self.answers, self.held)) if each != self.taken)


@dataclass(frozen=True, slots=True)
class Table:
    """A reading, and what is known about its blind spots.

    `covered_since_deal` are cells covered in every reading of this game; `doubted_before` the doubts of its decided
    presses, `asked_before` those of undecided ones; `questions` are the cells that people were asked about at undecided
    presses. `marks` is where each marker should stand before this move. `is_anew`: it was the player in turn who was
    asked at undecided presses.
    """

    reading: Reading
    covered_since_deal: frozenset[Cell] = frozenset()
    doubted_before: frozenset[Doubt] = frozenset()
    asked_before: frozenset[Doubt] = frozenset()
    marks: Mapping[PlayerColor, int] | None = None
    questions: frozenset[Cell] = frozenset()
    is_anew: bool = True

    @property
    def hidden(self) -> frozenset[Cell]:
        """The cells that something covers now, but that were seen before."""
        return self.reading.occluded - self.covered_since_deal

    def crowds(self, position: Position) -> Crowds:
        """Return the heaps with the numbers that each may have."""
        return crowds_of(self.reading, position.expected())


def open_cells(
    rules: RuleSet,
    position: Position,
    table: Table,
    change: Change,
    crowds: Collection[Cell] = (),
    only: PlayerColor | None = None,
) -> tuple[OpenCell, ...]:
    """Return the cells in doubt, in board order; `change` is what is seen without doubt, `crowds` are left out.

    `only` leaves out other players' new pieces.
    """
    expected, reading = position.expected(), table.reading
    unknown = [cell for cell in reading.unclear if expected.get(cell, BARE) == BARE]
    cells = []
    for cell in in_board_order(reading.unclear - set(crowds)):
        held = expected.get(cell, BARE)
        read = reading.cells.get(cell, CellReading())
        doubt = doubt_of(reading, cell)
        answers = tuple(dict.fromkeys(of_color(held, each, only) for each in likely(rules, position, cell, held, read)))
        fits = rules.fitting(position, change, cell, unknown) if held == BARE else ()
        shares, fit = shares_on(rules, position, cell, held, read, fits, only) if read.shares else ({}, 1.0)
        is_guessed = not read.alternatives
        cells.append(
            OpenCell(
                cell,
                held,
                answers,
                is_remembered=doubt in table.doubted_before | table.asked_before,
                is_asked=doubt in table.asked_before - table.doubted_before,
                is_own=any(_has_new(cell, held, each, position.next) for each in answers)
                or sum(share for each, share in shares.items() if _has_new(cell, held, each, position.next)) >= _OWN,
                is_guessed=is_guessed,
                is_odd=not is_plausible(rules, position, cell, held, read.contents),
                is_named=answers[:1] == (held,)
                and (not is_guessed or held == read.contents != BARE)
                and (not shares or shares[held] >= _TELLING),
                shares=shares,
                fit=fit,
            )
        )
    return _with_walked(_with_nearness(reading, change, cells), position.next)


def combinations_of(
    cells: Mapping[Cell, tuple[Contents, ...]], most: int = MOST_TRIALS
) -> Iterator[dict[Cell, Contents]]:
    """Yield up to `most` combinations of the cells' contents, likeliest first: by the sum of their ranks.

    >>> [*combinations_of({"A1": ("road", "bare"), "A2": ("city",)})]  # doctest: +SKIP
    [{'A1': 'road', 'A2': 'city'}, {'A1': 'bare', 'A2': 'city'}]
    """
    names, choices = list(cells), list(cells.values())
    for _, ranks in best_first([range(len(options)) for options in choices], most):
        yield {name: options[rank] for name, options, rank in zip(names, choices, ranks, strict=True)}


def count_of(cells: Mapping[Cell, tuple[Contents, ...]]) -> int:
    """Return how many combinations of the cells' contents there are."""
    return prod(len(options) for options in cells.values())


def _has_new(cell: Cell, held: Contents, now: Contents, color: PlayerColor | None) -> bool:
    return color is not None and now != held and has_pieces_of(Change({cell: CellChange(held, now)}), color)


def _with_nearness(reading: Reading, change: Change, cells: list[OpenCell]) -> tuple[OpenCell, ...]:
    """Mark the cells that the move may have touched, as the module's docstring says."""
    around = set(near(reading.board, change.cells))
    if not change.cells:
        around |= {each.cell for each in cells if not each.is_remembered and (each.is_own or not each.answers)}
    reached: set[Cell] = set()
    spread = [each for each in cells if not each.is_settled]
    while grown := [each.cell for each in spread if each.cell in around and each.cell not in reached]:
        reached.update(grown)
        around |= near(reading.board, grown)
    return tuple(replace(each, is_near=each.cell in around) for each in cells)


def _with_walked(cells: tuple[OpenCell, ...], player: PlayerColor | None) -> tuple[OpenCell, ...]:
    """Mark the cells between which another player's merchants seem to have walked, one of them near the move."""
    came = {each.cell: others for each in cells if (others := _others_came(each, player))}
    walked = {
        cell
        for each in cells
        if each.is_near and each.cell in came
        for other, gone in came.items()
        if not came[each.cell] + gone
        for cell in (each.cell, other)
    }
    return tuple(replace(each, is_near=True, is_walked=True) if each.cell in walked else each for each in cells)


def _others_came(each: OpenCell, player: PlayerColor | None) -> Merchants:
    """Return how many more merchants others seem to have there than in the books; none where anybody's are a heap."""
    likeliest = max(each.shares, key=lambda one: each.shares[one], default=each.held)
    most = likeliest.merchants.most(each.held.merchants).counts.values()
    if likeliest.tile != each.held.tile or max(most, default=0) > FEW:
        return Merchants()
    return likeliest.merchants - each.mine(likeliest, player).merchants
