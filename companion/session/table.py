"""The possible words on a table, if the reader says how likely its answers are, and how one of them is chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod

from companion.board import (
    BARE,
    Cell,
    CellChange,
    CellReading,
    Change,
    Color,
    Contents,
    Merchants,
    PlayerColor,
    Reading,
    Road,
    Settlement,
    Workshop,
    in_board_order,
)
from companion.games.contract import Legal, Position, RuleSet, Unclear, Verdict
from companion.session import weighing
from companion.session.changes import color_of, near, seen_change
from companion.session.doubts import FEW, OpenCell, Table, doubt_of, open_cells

#: How likely merchants that seem to have come to bare ground, beside others of their colour, stand there and overhang.
_OVERHANGING = 0.5


@dataclass(frozen=True, slots=True)
class Weighed:
    """A verdict, the change it is about and, for a legal move, what the player then has left.

    `likely` are the legal moves that a question leaves open (`possible_moves`); None: not computed yet.
    """

    verdict: Verdict
    change: Change
    left: int = 0
    likely: tuple[Weighed, ...] | None = None


def words_on(
    rules: RuleSet, position: Position, table: Table, most: int = weighing.MOST_TRIED
) -> list[weighing.Word] | None:
    """Return the words on a table in a position, likeliest first, with weights that compare across positions.

    Up to `most` combinations are tried. None if the reader does not say how likely its answers are.
    """
    table, roads = _with_doubts(table, position)
    cells, others = _weighed_cells(rules, position, table, None, roads)
    if position.next is None or not all(each.shares for each in (*cells, *others)):
        return None
    heaps, is_walking = table.crowds(position), position.merchants_due is not None
    as_held = prod(weighing.remembered(each, each.cell in heaps, is_walking)[each.held] for each in others)
    # What a cell looked like at an earlier press counted there.
    as_held *= prod(each.fit for each in (*cells, *others) if not each.is_remembered)
    change, marker = seen_change(table.reading, position.expected()), marker_on(table, position)
    if cells:
        ranked = weighing.words(rules, position, change, cells, marker, heaps, most)
    else:
        ranked = [weighing.plain_word(rules, position, change, marker)]
    return [replace(word, weight=word.weight * as_held) for word in ranked]


def words_told(rules: RuleSet, position: Position, table: Table, only: PlayerColor | None) -> list[weighing.Word]:
    """Return the possible words on the table, likeliest first; none if the reader gives no likelihoods."""
    table, roads = _with_doubts(table, position) if only is None else (table, frozenset[Cell]())
    cells, _ = _weighed_cells(rules, position, table, only, roads)
    if not cells or position.next is None or not all(each.shares for each in cells):
        return []
    change = seen_change(table.reading, position.expected(), only)
    return weighing.words(rules, position, change, cells, marker_on(table, position), table.crowds(position))


def _with_doubts(table: Table, position: Position) -> tuple[Table, frozenset[Cell]]:
    """Return the table with those pieces in doubt that make no sense in a move, and where new roads are.

    These are new pieces that are not in the colour of the player in turn, earlier ones that now look like another
    player's, and merchants on bare ground beside others of their colour. If merchants walk, so is the number in a heap
    to which or from which some walked: the others that went or came may say otherwise.

    Hardly anybody lays another player's piece, as it lies in front of somebody else. It may be likelier that its colour
    was misread, however sure the reader was. But a new road certainly is a road. And a merchant that reaches over to
    the next cell is likelier than one that was put there.
    """
    reading, expected, player = table.reading, position.expected(), position.next
    doubted: dict[Cell, CellReading] = {}
    if position.phase != "turn" or not isinstance(player, Color):
        return table, frozenset()
    for cell, seen in seen_change(reading, expected).cells.items():
        read, tile, before = reading.cells[cell], seen.now.tile, seen.before.tile
        if read.confidence == 1:
            continue
        if tile is before is None and _may_overhang(seen, cell, reading):
            other, share = seen.before, _OVERHANGING
        elif isinstance(tile, Road):
            likely = replace(tile, color=before.color if isinstance(before, Road) else player)
            other = replace(seen.now, tile=likely) if before in (None, likely) else seen.now
            share = 1 - read.confidence
        else:
            other = _with_own_merchants(seen, player)
            share = dict(read.further).get(other, 0.0)
            if other == seen.now and position.merchants_due is not None:
                other, share = _recounted(seen, read)
        if other != seen.now and share:
            sure = min(read.confidence, 1 - share)
            doubted[cell] = replace(read, alternatives=(seen.now, other), shares=(sure, share), further=())
    if doubted:
        reading = replace(reading, cells={**reading.cells, **doubted}, unclear=reading.unclear | doubted.keys())
    new = (cell for cell in doubted if expected.get(cell, BARE) == BARE and reading.contents(cell).tile is not None)
    return replace(table, reading=reading), frozenset(new)


def _may_overhang(seen: CellChange, cell: Cell, reading: Reading) -> bool:
    """Whether merchants that came to bare ground may stand on a neighbour with merchants of theirs, and overhang."""
    colors = seen.merchants.counts
    if min(colors.values(), default=0) <= 0:
        return False
    beside = [reading.contents(each) for each in near(reading.board, (cell,)) - {cell}]
    crowded = [one.merchants for one in beside if isinstance(one.tile, Settlement | Workshop)]
    return all(any(merchants[color] for merchants in crowded) for color in colors)


def _with_own_merchants(seen: CellChange, player: Color) -> Contents:
    """Return what is there if the merchants that came are the player's, or if those of before only look different.

    Return what is seen if neither can be.
    """
    counts = seen.merchants.counts
    if seen.now.tile is None or seen.now.tile != seen.before.tile:
        return seen.now
    if sum(counts.values()) == 0:
        return seen.before
    (color, count), *more = counts.items()
    if more or count < 0 or color is player:
        return seen.now
    return replace(seen.now, merchants=seen.before.merchants + Merchants.of({player: count}))


def _recounted(seen: CellChange, read: CellReading) -> tuple[Contents, float]:
    """Return a heap with one merchant more or fewer, whichever the reader finds likelier, and how likely it is.

    Return what is seen, and 0, if it is no heap or the reader names no such number.
    """
    now = seen.now
    if now.tile != seen.before.tile or max(now.merchants.counts.values(), default=0) <= FEW:
        return now, 0.0
    near_it = [one for one in read.further if one[0].tile == now.tile and _apart(one[0], now) == 1]
    return max(near_it, key=lambda one: one[1], default=(now, 0.0))


def _apart(one: Contents, other: Contents) -> int:
    return sum(map(abs, (one.merchants - other.merchants).counts.values()))


def _weighed_cells(
    rules: RuleSet, position: Position, table: Table, only: PlayerColor | None, roads: Collection[Cell]
) -> tuple[list[OpenCell], list[OpenCell]]:
    """Return the cells in doubt that are weighed, and those that are taken for what the books hold.

    Whatever its colour, there is a road on each of `roads`: none of them is bare.
    """
    change = seen_change(table.reading, position.expected(), only)
    crowds = table.crowds(position)
    weighed: list[OpenCell] = []
    others: list[OpenCell] = []
    for one in open_cells(rules, position, table, change, only=only):
        each = replace(one, shares={**one.shares, one.held: 0.0}) if one.cell in roads else one
        is_weighed = (
            each.is_near
            or each.is_asked
            or each.is_own
            or each.is_blank
            or each.is_faint
            or each.likelier(position.next)
            # This is a heap that the player may have taken from, or whose number differs from the books.
            or ((numbers := crowds.get(each.cell)) and (color_of(numbers) == position.next or each.held not in numbers))
        )
        (weighed if is_weighed else others).append(each)
    return weighed, others


def marker_on(table: Table, position: Position) -> tuple[int | None, int | None]:
    """Return where the marker of the player in turn is seen, and where it stood; None if that is not known."""
    player = position.next
    if player is None:
        return None, None
    is_seen = player not in table.reading.occluded_tracks | table.reading.unclear_tracks
    return table.reading.tracks.get(player) if is_seen else None, (table.marks or {}).get(player)


def told_or_asked(position: Position, table: Table, ranked: Sequence[weighing.Word]) -> Weighed:
    """Return the likeliest word, or a question if it is not likely enough."""
    weighed = as_weighed(position, ranked[0].verdict, ranked[0].change)
    if table.hidden and not is_all_there(table, table.hidden, position, weighed):
        return Weighed(Unclear(in_board_order(table.hidden), hidden=True), weighed.change)
    share = weighing.sure(ranked)
    if share >= weighing.SURE:
        return weighed
    cells = weighing.in_question(ranked)
    if is_asked_again(table, cells) and share >= weighing.AGAIN:
        return weighed
    question = Unclear(in_board_order(cells), hidden=False)
    return Weighed(question, weighed.change, likely=() if table.hidden else legal_of(position, ranked))


def is_asked_again(table: Table, cells: frozenset[Cell]) -> bool:
    """Whether people were asked about these cells, which look unchanged, and pressed again without answering."""
    return cells <= table.questions and {doubt_of(table.reading, cell) for cell in cells} <= table.asked_before


def legal_of(position: Position, ranked: Sequence[weighing.Word]) -> tuple[Weighed, ...]:
    """Return the legal moves among these words, or only the likeliest if the others are far less likely."""
    legal = [word for word in ranked if isinstance(word.verdict, Legal)]
    likeliest = legal[:1] if legal and legal[0].share >= weighing.RATHER * sum(word.share for word in legal) else legal
    return tuple(as_weighed(position, word.verdict, word.change) for word in likeliest if word.share >= weighing.HARDLY)


def as_weighed(position: Position, verdict: Verdict, change: Change) -> Weighed:
    """Return the verdict on a change, with the days that a legal move leaves."""
    left = 0
    if isinstance(verdict, Legal) and position.next is not None:
        left = verdict.after.days.get(position.next, 0)
    return Weighed(verdict, change, left)


def is_all_there(table: Table, blind: frozenset[Cell], position: Position, weighed: Weighed) -> bool:
    """Whether the move is complete without the cells that cannot be seen (companion.session.thumb says why)."""
    if not isinstance(weighed.verdict, Legal) or not weighed.change:
        return False
    if blind & near(table.reading.board, weighed.change.cells):
        return False
    return position.lays_one or is_marked(table, position, weighed.left)


def is_marked(table: Table, position: Position, left: int) -> bool:
    """Whether the player in turn has moved their marker to exactly the days that the turn leaves."""
    shown, stood = marker_on(table, position)
    return shown == left != stood
