"""The reader: photographs of one table, one after another, become readings."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.follow import BoardLost, Follower
from calibration.table import TableFolder
from calibration.view import BoardView
from companion.board import (
    BARE,
    Cell,
    CellReading,
    Color,
    Contents,
    DealRemarks,
    HexCell,
    PlayerColor,
    Reading,
    Settlement,
    SquareBoard,
    by_hexagon,
)
from vision.board.layout import Pieces
from vision.board.tracks import is_hidden, read_track
from vision.cubes.crowds import counted, crowded, heaped, or_more, recolored, shared_out, weighed
from vision.hands import find_hands, shares_of
from vision.light import flatten
from vision.light.changes import Changes
from vision.light.flatten import Floats, Image, extent_cells, from_above, halved, halved_tones, samples, tones
from vision.light.gain import gain_logs, logarithm_of
from vision.light.veil import Veil
from vision.memory import HIDDEN, KNOWN_BARE, Cells, KnownCell, Memory, as_booked, mask_of
from vision.square.reader import SquareReader
from vision.tiles.comparing import Comparing
from vision.tiles.fine import Fine, keep_clean
from vision.tiles.teach import Growing, Taught, learn
from vision.tiles.trust import COUNTED, ENOUGH, PERHAPS, UNDER_HAND, Trust, Views, shipped

#: A settlement read less surely than this at the deal is reported as hard to tell.
_POOR = 0.9
#: This many unchanged cells are looked at again in each photograph.
_REVIEWED = 2
#: Where a lamp is mirrored, a cell in doubt says little if more than this share of it shows nothing but light.
_DAZZLED = 0.45
#: A cell about which nothing new is known is as it was.
_BEFORE = KnownCell(is_clear=True)


@dataclass(frozen=True)
class _Last:
    """The last photograph: its flat picture in even light, how the learnt nets see it, and what was hidden."""

    logs: Floats
    fine: Fine
    hidden: frozenset[Cell]


class Reader:
    """Reads one table's photographs with memory of the game. Mutable; owned by the thread that reads.

    `view` is where the board was in the last photograph; `lost` says why it was not found there, else None. `remarks`
    are about the latest game: what may make it hard to read.
    """

    def __init__(self, taught: Taught, follower: Follower[BoardView], trust: Trust | None = None) -> None:
        self.taught = taught
        self._comparing = Comparing(taught, shipped() if trust is None else trust)
        self.view: BoardView = follower.view
        self.lost: str | None = None
        self.remarks = DealRemarks()
        self._follower = follower
        self._pieces = Pieces(taught.look)
        self._memory: Memory | None = None
        self._last: _Last | None = None
        self._views: dict[HexCell, Views] = {}
        self._is_dealt = True
        self._is_first_scene = False  # the game's first, of which nothing is in the books yet
        self._books: Mapping[HexCell, Contents] = {}
        self._dazzled: Mapping[HexCell, float] = {}

    @classmethod
    def of(cls, folder: TableFolder, trust: Trust | None = None) -> Reader:
        """Return the reader of a table, taught from its set-up photographs; `trust`: None for the one shipped.

        Raises BadInputError if they are missing, or do not show the board or the components.
        """
        taught, follower = learn(folder)
        return cls(taught, follower, trust)

    @property
    def outline(self) -> NDArray[np.float64]:
        """The corners (N, 2) of the board and its day tracks in the last photograph, in its pixels."""
        reach = extent_cells(self.taught.look.logs)
        square = np.array([[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]])
        return self.view.to_image(square)

    @property
    def is_upside_down(self) -> bool:
        """Whether the last photograph showed the board more than a quarter turn from how it was set up."""
        return abs(self.view.turned_from(self._follower.view)) > 90

    @property
    def growing(self) -> Growing:
        """The tiles that cells are compared with, including examples from games."""
        return self._comparing.growing

    def new_game(self, is_dealt: bool = True, books: Mapping[Cell, Contents] | None = None) -> None:
        """Forget what was on the board: the next photograph shows another game, perhaps with another layout.

        `is_dealt`: that photograph shows the deal, so no cubes are expected on it; False if it may show anything.
        `books` is what should be there in the middle of a game. If the photograph leaves a cell open and the books have
        one of its answers, the cell gets that answer. Whatever is seen clearly stays as it is seen.
        """
        self._memory = self._last = None
        self._pieces.new_game(is_dealt)
        self._comparing.new_game()
        self._is_dealt = is_dealt
        self._books = by_hexagon(books or {})

    def read(self, image: Image, is_again: bool = False) -> Reading:
        """Return what a photograph (H, W, 3), blue-green-red, shows; cells it does not show stay as last known.

        `is_again`: nothing has moved since the one before, so that it is no further evidence.
        """
        view = self._follower.follow(image, self.view)
        if isinstance(view, BoardLost):
            self.lost, self._last = view.why, None
            return self._all_hidden()
        self.view, self.lost = view, None
        dull, logs = self._above(image, view)
        memory = self._begun(logs)
        is_first = memory is not self._memory
        if is_first:
            self._memory, self._views = memory, {}
            if self.taught.lamp is not None:  # It is measured better once it is known how the pieces lie.
                dull, logs = self._above(image, view)
        veil = Veil.seen(logs, memory.expected, self.taught.board.rings)
        if veil is not None:
            dull = veil.taken_off(dull, view)
            logs = logarithm_of(from_above(dull, view, extent_cells(logs)))
        gain = gain_logs(logs, memory.expected, self.taught.board.rings)
        fine = Fine(dull, view, extent_cells(logs), gain, self._comparing.exemplars, self._comparing.poses)
        evened = np.subtract(logs, gain)
        self._is_first_scene = is_first or (is_again and self._is_first_scene)
        reading = self._read(memory, evened, fine, is_again and not is_first)
        self._last = _Last(evened, fine, reading.occluded)
        if is_first:
            self.remarks = self._remarked(reading, gain)
        return reading

    def _above(self, image: Image, view: BoardView) -> tuple[Image, Floats]:
        """Return a photograph without the lamp that the board mirrors, if any, and its logarithms from above."""
        lamp, memory, look = self.taught.lamp, self._memory, self.taught.look
        if lamp is not None:
            seen = from_above(image, view, extent_cells(look.logs))
            self._dazzled = {cell: flatten.overexposed(seen, cell) for cell in look.board.cells}
        if lamp is not None and memory is None:
            image = lamp.taken_off(image, view, None, np.zeros(len(look.board.cells), dtype=bool))
        elif lamp is not None and memory is not None:
            free = [memory.cells.get(cell, _BEFORE).contents == BARE for cell in look.board.cells]
            image = lamp.taken_off(image, view, memory.look.medians - look.medians, np.array(free))
        return image, logarithm_of(from_above(image, view, extent_cells(look.logs)))

    def confirmed(self, cells: Mapping[Cell, Contents], by_hand: bool = False) -> None:
        """Accept that cells held this in the last photograph: by an accepted move or, `by_hand`, a person's word.

        A cell that was in doubt is clear from now on, until it looks different. Cells that were hidden are left out,
        and only a person can say how many cubes a heap has. Tiles without cubes become examples: those that were
        clearly read as such, and those that the person named where something was seen.
        """
        memory, last = self._memory, self._last
        if memory is None or last is None:
            return
        visible = {cell: now for cell, now in by_hexagon(cells).items() if cell not in last.hidden}
        for cell, now in visible.items():
            old = memory.cells.get(cell, _BEFORE)
            is_read, is_bare = old.is_read and old.contents == now, old.is_clear and old.contents == BARE
            if by_hand:
                self._comparing.told(cell, now, self._views.get(cell), last.fine)
                memory.workshops.pop(cell, None)
            if now.tile is not None and not now.merchants and (is_read or (by_hand and not is_bare)):
                self._comparing.grow(cell, now.tile, last.fine)
            if not is_read and (by_hand or not old.is_crowd):
                memory.cells[cell] = KnownCell(now, 1.0, is_clear=True, tile_is_clear=True, is_told=not by_hand)
                self._views.pop(cell, None)
        memory.settle(last.logs, set(), set(visible))
        keep_clean(memory, last.fine)

    def booked(self, books: Mapping[Cell, Contents], colors: Collection[PlayerColor], walking: bool = False) -> None:
        """Learn from the books after an accepted move how cubes look here and what lies there; these colours play.

        `walking`: in this game cubes leave the places where they lie.
        """
        self._comparing.tilt.plays(colors)
        self._is_first_scene = False
        if self._memory is not None and self._last is not None:
            self._comparing.booked(by_hexagon(books), self._views, self._last.fine, self._last.hidden)
            self._memory.booked(books, self._last.hidden, walking)

    def _remarked(self, reading: Reading, gain: Floats) -> DealRemarks:
        """Return what may make this game hard to read, after its first photograph."""
        poor = tuple(
            cell
            for cell, read in by_hexagon(reading.cells).items()
            if isinstance(read.contents.tile, Settlement)
            and cell not in reading.occluded
            and (cell in reading.unclear or read.confidence < _POOR)
        )
        assert self._memory is not None
        return DealRemarks(
            is_layout_new=self._pieces.are_moved,
            is_layout_known=self._memory.layout_known,
            stops=float(np.median(gain[::16, ::16])) / math.log(2),
            poor=poor,
            poor_tracks=tuple(color for color in Color if color in reading.unclear_tracks),
        )

    def _begun(self, logs: Floats) -> Memory:
        """Return the game's memory; a new one at first, and when a later photograph shows how the pieces really lie.

        Anything read on other ground, or on unknown ground, is then forgotten.
        """
        memory = self._memory
        if not self._pieces.see(logs) and memory is not None:
            return memory
        self._is_dealt &= memory is None
        return Memory.of(self._pieces.look, self._pieces.is_known)

    def _read(self, memory: Memory, logs: Floats, fine: Fine, is_again: bool) -> Reading:
        board = self.taught.board
        tone = tones(logs)
        half = halved(tone)
        half_expected = memory.look.half if memory.is_new else halved_tones(memory.expected)
        hands = find_hands(half, half_expected)
        shares = shares_of(hands, board)
        expected = memory.look.samples if memory.is_new else samples(half_expected, board)
        cells = Cells(memory, tone, Changes.between(samples(half, board), expected, board, shares), shares)
        is_deal = self._is_first_scene and self._is_dealt
        covered = [cell for cell in cells.worth_a_look if shares.get(cell, 0.0) > HIDDEN]
        unexplained = self._comparing.unexplained(fine, memory, covered)
        looked = tuple(cell for cell in cells.worth_a_look if cell not in unexplained)
        views = self._comparing.viewed(fine, memory, cells.reasons(looked, is_deal), looked)
        explained = self._comparing.explained({cell: views[cell] for cell in looked if cell in shares})
        explained |= (cells.same | cells.bare) & shares.keys()
        if explained:
            hands = find_hands(half, half_expected, mask_of(board, extent_cells(logs), explained, 2) > 0)
            shares = shares_of(hands, board)
            freed = cells.freed(shares) + tuple(cell for cell in unexplained if shares.get(cell, 0.0) <= HIDDEN)
            views |= self._comparing.viewed(fine, memory, cells.reasons(freed, is_deal), freed)
        views = self._beside(shares, {cell: at for cell, at in views.items() if shares.get(cell, 0.0) <= HIDDEN})
        views |= self._comparing.straightened(fine, memory, views)
        seen = {cell: at.opinions[-1] for cell, at in views.items()}
        named = self._comparing.named_together(fine, memory, seen, self._is_first_scene)
        views |= {cell: replace(views[cell], opinions=(opinion,)) for cell, opinion in named.items()}
        known = dict.fromkeys((cell for cell in cells.bare if shares.get(cell, 0.0) <= HIDDEN), KNOWN_BARE)
        known |= self._trusted(views, memory.cells)
        # These cells are not clear, but they look much as they did, and probably are what they were.
        same = {
            cell
            for cell, now in known.items()
            if now.is_rather(memory.cells.get(cell)) and cells.looks_rather_the_same(cell)
        }
        as_before = {
            cell for cell, at in views.items() if at.reasons.under_hand and known[cell].is_as(memory.cells.get(cell))
        }
        known = {cell: now for cell, now in known.items() if cell not in same | as_before}
        same |= cells.same
        if not is_again:
            known |= self._reviewed(memory, fine, known.keys() | shares.keys() | same)
        known |= as_booked({cell: now for cell, now in known.items() if cell not in shares}, self._books)
        self._books = {}
        hidden = {cell for cell, share in shares.items() if share > HIDDEN or not known.get(cell, _BEFORE).is_clear}
        known = {cell: now for cell, now in known.items() if cell not in hidden}
        unchanged = {cell for cell in board.cells if cell not in known and cell not in hidden}
        memory.cells |= known
        reasons = {cell: views[cell] for cell in known if cell in views}
        self._views = {cell: at for cell, at in self._views.items() if cell not in known} | reasons
        for cell in unchanged:
            memory.cells.setdefault(cell, KnownCell(is_clear=False))
        settled_now = {cell for cell, now in known.items() if now.is_clear or now.is_crowd}
        # A hand's rim and its shade will pass, so a cell that is the same does not take over its look from them.
        same &= unchanged
        settled_now |= {cell for cell in same - as_before if not cells.sameness(cell).is_in_shade}
        kept = {cell for cell in unchanged if memory.cells[cell].is_clear and cell not in same | as_before}
        memory.settle(logs, kept, settled_now)
        keep_clean(memory, fine)
        return self._reading(memory, tone, hands, hidden)

    def _beside(self, shares: Mapping[HexCell, float], views: Mapping[HexCell, Views]) -> dict[HexCell, Views]:
        """Return the views, updated with where the hand is now known to be."""
        near = {beyond for cell in shares for _, beyond in self.taught.board.neighbours(cell)}
        return {
            cell: replace(at, reasons=replace(at.reasons, under_hand=shares.get(cell, 0.0), beside_hand=cell in near))
            for cell, at in views.items()
        }

    def _trusted(self, views: Mapping[HexCell, Views], before: Mapping[HexCell, KnownCell]) -> dict[HexCell, KnownCell]:
        """Return the cells' likeliest answers, with how likely each is as its confidence: clear if that is enough."""
        trusted = {}
        for cell, shares in self._comparing.likely(views).items():
            opinion, reasons = views[cell].opinions[-1], views[cell].reasons
            dazzled, old = self._dazzled.get(cell, 0.0), before.get(cell)
            (best, share), *rest = sorted(shares.items(), key=lambda item: -item[1])
            # A tile that nothing but light shows is not gone, however bare the cell looks.
            if dazzled > _DAZZLED and (share < ENOUGH or (best == BARE and old is not None and any(old.tiles))):
                trusted[cell] = KnownCell.dazzling(shares, dazzled, old, PERHAPS)
                continue
            heap = None if reasons.under_hand else heaped(opinion)
            if heap is not None:
                trusted[cell] = replace(heap, shares=counted(opinion, reasons.site, reasons.cubes))
                continue
            enough = UNDER_HAND if reasons.under_hand and not KnownCell(best, is_clear=True).is_as(old) else ENOUGH
            perhaps = dict.fromkeys([answer for answer, _ in rest] + list(opinion.ranked))
            perhaps.pop(best, None)
            others = or_more((best, *perhaps))[1:][:PERHAPS]
            known = {**recolored(best, share, opinion), **shared_out(shares)}
            read = KnownCell(best, share, others, is_clear=True, tile_is_clear=True, shares=known)
            now = crowded(read, opinion) if share >= COUNTED else read
            if now.is_crowd:
                trusted[cell] = replace(now, shares=counted(opinion, reasons.site, reasons.cubes))
            elif share >= enough or reasons.under_hand:
                trusted[cell] = read.trusted(share, enough, old)
            else:
                trusted[cell] = weighed(read, opinion, reasons, PERHAPS).trusted(share, enough, old)
        noted = {cell: now.noted(views[cell], before.get(cell, _BEFORE)) for cell, now in trusted.items()}
        lamp = self.taught.lamp
        return noted if lamp is None else {cell: replace(now, unseen=now.unnamed) for cell, now in noted.items()}

    def _reviewed(self, memory: Memory, fine: Fine, known: Collection[HexCell]) -> dict[HexCell, KnownCell]:
        """Return a few unchanged cells after one more look: some no longer seem to show what was read there.

        Each photograph is one more look at them, so a misreading comes to light. If another answer is likely enough,
        the cell takes that answer; otherwise it is in doubt.
        """
        lying = (
            cell
            for cell in self._views
            if cell not in known and memory.cells[cell].is_clear and memory.cells[cell].contents != BARE
        )
        # First the cells that are least sure for the number of looks they had.
        risk = {cell: (1 - memory.cells[cell].confidence) / len(self._views[cell].opinions) for cell in lying}
        cells = tuple(sorted(risk, key=lambda cell: -risk[cell])[:_REVIEWED])
        again = self._comparing.compared(fine, cells, memory, anew=True)
        for cell, opinion in (again | self._comparing.named_together(fine, memory, again, anew=True)).items():
            self._views[cell] = self._views[cell].with_opinion(opinion)
        asked = {cell: self._views[cell] for cell in cells if len(self._views[cell].opinions) > 1}
        likely = self._comparing.likely(asked, memory.cells)
        return {cell: memory.cells[cell].reviewed(shares, ENOUGH) for cell, shares in likely.items()}

    def _reading(self, memory: Memory, tone: Floats, hands: NDArray[np.bool_], hidden: set[HexCell]) -> Reading:
        board = self.taught.board
        markers = self.taught.markers
        occluded_tracks = {color for color in markers.tracks if is_hidden(hands, markers.tracks, color)}
        unclear_tracks = set()
        for color in markers.tracks.keys() - occluded_tracks:
            track = read_track(tone, memory.look.tone, markers, color)
            if track.clear:
                memory.tracks[color] = track.field
            else:
                unclear_tracks.add(color)
        cells: dict[Cell, CellReading] = {}
        for cell in board.cells:
            known = memory.cells.get(cell, KnownCell())
            terrain = memory.look.terrain.get(cell) if memory.layout_known else None
            cells[cell] = known.reading(terrain, cell in memory.look.sites if memory.layout_known else None)
        unclear = {cell for cell in board.cells if cell not in hidden and not memory.cells[cell].is_clear}
        return Reading(
            board,
            cells,
            {color: memory.tracks.get(color) for color in Color},
            frozenset(hidden),
            frozenset(occluded_tracks),
            frozenset(unclear),
            frozenset(unclear_tracks),
        )

    def _all_hidden(self) -> Reading:
        cells = {} if self._memory is None else self._memory.cells
        return Reading(
            self.taught.board,
            {cell: known.reading(None, None) for cell, known in cells.items()},
            dict.fromkeys(Color) if self._memory is None else dict(self._memory.tracks.items()),
            occluded=frozenset(self.taught.board.cells),
            occluded_tracks=frozenset(Color),
        )


def reader_of(folder: TableFolder) -> Reader | SquareReader:
    """Return the reader of a table, taught from its photographs; raises BadInputError if they do not teach it."""
    return SquareReader.of(folder) if isinstance(folder.setup.board, SquareBoard) else Reader.of(folder)
