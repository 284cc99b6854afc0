"""What would make a refused move legal, were a single cell misread: one tap then puts it right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.board import (
    BARE,
    EDGE_PAIRS,
    CellChange,
    CellReading,
    Change,
    Color,
    Contents,
    HexCell,
    Merchants,
    Reading,
    Road,
    Settlement,
    Workshop,
    board_order,
)
from companion.events import Suggestion
from companion.games.contract import Legal, Position, RuleSet

#: More than so many answers are for nobody.
MOST_SUGGESTED = 3

#: So many are judged at most; a turn of five tiles at nineteen settlements has about a hundred to try.
MOST_TRIED = 300


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a cell may hold instead; `doubt` is less the likelier it is: compared in order."""

    cell: HexCell
    contents: Contents
    doubt: tuple[float, ...]


def suggestions(rules: RuleSet, position: Position, change: Change, reading: Reading) -> tuple[Suggestion, ...]:
    """Return single cells which, read otherwise, would make the refused change a legal move; likeliest first.

    First what the reader itself named beside its answer, then other readings of the cells that it was least sure of:
    what the books hold, a merchant of the player more or fewer, a road tile that runs another way, of the player's
    colour, of the ground's terrain.
    """
    player = position.next
    if player is None:
        return ()
    held = position.expected()
    answers = sorted(_answers(position, change, reading, player), key=lambda answer: answer.doubt)
    found: dict[tuple[HexCell, Contents], Suggestion] = {}
    for answer in answers[:MOST_TRIED]:
        before = held.get(answer.cell, BARE)
        cells = {cell: seen for cell, seen in change.cells.items() if cell != answer.cell}
        if answer.contents != before:
            cells[answer.cell] = CellChange(before, answer.contents)
        elif not cells and _is_plainly_new(change, answer.cell, reading):
            continue
        if isinstance(rules.judge(position, replace(change, cells=cells)), Legal):
            found.setdefault((answer.cell, answer.contents), Suggestion(answer.cell, answer.contents))
            if len(found) == MOST_SUGGESTED:
                break
    return tuple(found.values())


def _is_plainly_new(change: Change, cell: HexCell, reading: Reading) -> bool:
    """Whether a tile was laid there of which the reader has no doubt: all that was laid cannot be a mistake of it."""
    seen = change.cells[cell]
    return cell not in reading.unclear and isinstance(seen.now.tile, Road | Workshop) and seen.before.tile is None


def _answers(position: Position, change: Change, reading: Reading, player: Color) -> Iterator[_Answer]:
    """Yield what cells may hold instead of what was read, once each."""
    held = position.expected()
    places = {cell for cell, contents in held.items() if isinstance(contents.tile, Settlement | Workshop)}
    for cell in sorted(change.cells.keys() | places | reading.unclear, key=board_order):
        before = held.get(cell, BARE)
        now = change.cells[cell].now if cell in change.cells else before
        read = reading.cells.get(cell, CellReading())
        given = set[Contents]()
        ranked = (
            *((answer, (0.0, rank)) for rank, answer in enumerate(read.alternatives)),
            *((answer, (1.0, kind)) for answer, kind in _others(position, cell, before, now, player)),
        )
        for answer, (tier, rank) in ranked:
            if answer != now and answer not in given:
                given.add(answer)
                yield _Answer(cell, answer, (tier, read.confidence, rank))


def _others(
    position: Position, cell: HexCell, before: Contents, now: Contents, player: Color
) -> Iterator[tuple[Contents, int]]:
    """Yield other readings of a cell, each with its rank: the books', merchants', the tile's."""
    yield before, 0
    one = Merchants.of({player: 1})
    if isinstance(now.tile, Settlement | Workshop):
        yield replace(now, merchants=now.merchants + one), 1
    if now.merchants[player]:
        yield replace(now, merchants=now.merchants - one), 1
    match now.tile:
        case Road() as tile if tile != before.tile:
            yield replace(now, tile=replace(tile, color=player)), 2
            yield replace(now, tile=replace(tile, terrain=position.ground.terrain.get(cell, tile.terrain))), 2
            for edges in EDGE_PAIRS:
                yield replace(now, tile=replace(tile, edges=edges)), 3
        case Workshop() if now.tile != before.tile:
            yield replace(now, tile=Workshop(player)), 2
