"""Crowds: cubes that stand so close, or so much like what is below them, that their number cannot be counted.

Seen from above, cubes of one colour that touch are one dark heap, and on a workshop of their own colour they are hardly
there at all but for the art that they cover. So their tile is told, and of their number what it may be, the likeliest
first. Who knows the game may know better: where merchants only walk, those seen elsewhere leave so many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.board import Color, Contents, Merchants, Road, Tile, Workshop
from vision.cube_tops import Fitted
from vision.cubes import CubeColors, Tone
from vision.flatten import Floats
from vision.memory import CLEAR, Known
from vision.samples import Mask, offsets, strip_distance

#: The box holds twelve of a colour.
MOST = 12
#: From so many of one colour on a cell on, more may stand there than are seen.
CROWD = 4
#: A pixel is art where its tone is so far off the line from black to the cubes' own, or so much lighter than they are:
#: their shaded sides and the gaps between them are neither. Something so much darker is not of their colour either.
_OFF_LINE, _LIGHTER, _LIGHTER_LEAST, _DARKER = 0.07, 1.3, 0.05, 0.4
_DISC_CELLS = 0.5
#: So far from the middle line of a road's strip, in cell sides, its ground is seen.
_BESIDE_STRIP_CELLS = 0.28
#: A workshop with less art than this (a grey one with grey houses) tells nothing about cubes of its colour.
_LEAST_ART = 0.2
#: The share of the art still seen, and how many cubes then cover the rest: likely, at least, at most. Beside the art a
#: cube of the workshop's colour is not seen at all. Measured on rendered tables: hazel, and drawn ones.
_COVERED_BY = ((0.75, (1, 0, 2)), (0.3, (2, 1, 4)), (0.12, (4, 1, 9)), (0.0, (6, 4, MOST)))
#: So much of the art is seen on a bare workshop, whatever the light; and where the game is one of crowds, in which a
#: single cube beside the art must not be overlooked. (Elsewhere nobody puts cubes there, and they would be many.)
_BARE, _BARE_IN_CROWDS = 0.45, 0.97
#: A workshop less unlike its taught look than this is bare, whatever the light does to its art.
_SAME, _SAME_IN_CROWDS = 0.08, 0.025
#: Where art is scarce: how unlike a bare workshop gets at most, and how much each cube adds.
_ALIKE, _ALIKE_IN_CROWDS, _UNLIKE_EACH = 0.3, 0.09, 0.08


#: A number of cubes that cannot be counted: likely, at least, at most.
Number = tuple[int, int, int]
NONE: Number = (0, 0, 0)


#: A square that fits so well is a cube, one that fits less well than the second is none.
_CUBE, _NO_CUBE = 1.5, 0.6
#: One that fits this well is rather a cube than none.
_LIKELY = 1.05
#: Cubes nearer to each other than this (in cell sides) touch, where there are so many: others may stand between them.
_TOUCHING_CELLS, _HEAP = 0.075, 3
#: So much of a colour that no square explains (in tops) is too much to tell a number, less where cubes touch; on a
#: workshop of it the mark's own rim is like that.
_MOST_LEFT, _MOST_LEFT_TOUCHING, _MOST_LEFT_OWN = 0.055, 0.03, 0.12
#: And so much art that was not known, on a workshop.
_MOST_STRANGE = 0.1
#: Of fewer doubtful cubes than a heap's so many more may stand there.
_FEW_MORE = 2


def number_of(fitted: Fitted, color: Color, is_own: bool) -> Number:
    """Return how many cubes of a colour the squares fitted to a cell tell; the same number thrice where it is sure.

    `is_own`: on a workshop of their colour, where a cube hidden among others leaves nothing to see.
    """
    gains = [square.gain for square in fitted.of(color)]
    sure, likely, possible = (sum(gain >= least for gain in gains) for least in (_CUBE, _LIKELY, _NO_CUBE))
    is_strange = is_own and fitted.strange > _MOST_STRANGE
    is_touching = possible >= _HEAP and fitted.gaps[color] < _TOUCHING_CELLS
    most_left = _MOST_LEFT_OWN if is_own else _MOST_LEFT_TOUCHING if is_touching else _MOST_LEFT
    is_told = not is_strange and not (is_own and is_touching) and fitted.left[color] <= most_left
    if is_told and sure == possible:
        return sure, sure, sure
    most = MOST if possible >= _HEAP else possible + _FEW_MORE
    return likely, 0 if is_strange else sure, most


@dataclass(frozen=True)
class WorkshopArt:
    """What share of each colour's taught workshop is art that its own cubes would cover, and those cubes' tones."""

    shares: Mapping[Color, float]
    tones: Mapping[Color, Tone]

    def cubes_on(self, sample: Floats, color: Color, unlike: float, in_crowds: bool) -> Number:
        """Return how many cubes of its own colour stand on a workshop that is so `unlike` (0 to 1) its taught look."""
        taught = self.shares.get(color, 0.0)
        if taught < _LEAST_ART:
            if unlike < (_ALIKE_IN_CROWDS if in_crowds else _ALIKE):
                return NONE
            likely = min(max(round(unlike / _UNLIKE_EACH), 1), 6)
            return likely, max(likely - 3, 0), min(likely + 6, MOST)
        seen = art_share(sample, self.tones[color]) / taught
        if seen >= (_BARE_IN_CROWDS if in_crowds else _BARE) or unlike < (_SAME_IN_CROWDS if in_crowds else _SAME):
            return NONE
        return next(number for share, number in _COVERED_BY if seen >= share)


def teach_workshop_art(tiles: Sequence[tuple[Tile | None, Floats]], cubes: CubeColors) -> WorkshopArt:
    """Return the art of the taught workshops whose colour's cubes were taught too; the barest one of each colour."""
    shares: dict[Color, float] = {}
    for tile, sample in tiles:
        if isinstance(tile, Workshop) and tile.color in cubes.tones:
            share = art_share(sample, cubes.tones[tile.color])
            shares[tile.color] = max(share, shares.get(tile.color, 0.0))
    return WorkshopArt(shares, cubes.tones)


def far_from(sample: Floats, top: Tone) -> float:
    """Return how far the usual tone of the middle of a cell's sample is from a cube's top."""
    return float(np.linalg.norm(np.median(sample[_disc()], axis=0) - top))


def beside_strip(sample: Floats, road: Road, top: Tone, ground: Tone) -> float:
    """Return what share of a cell's middle, beside a road's strip, is rather of a cube's tone than the ground's."""
    beside = _disc() & (strip_distance(road.edges) > _BESIDE_STRIP_CELLS)
    pixels = sample[beside]
    return float((np.linalg.norm(pixels - top, axis=1) < np.linalg.norm(pixels - ground, axis=1)).mean())


def uncounted(known: Known, color: Color, number: Number) -> Known:
    """Return the cell with its tile, but with any such number of that colour's cubes; the likely one first."""
    likely, least, most = number
    numbers = sorted(range(least, most + 1), key=lambda other: (abs(other - likely), -other))
    others = known.contents.merchants - Merchants.of({color: known.contents.merchants[color]})
    answers = [Contents(known.contents.tile, others + Merchants.of({color: each})) for each in numbers]
    return replace(
        known,
        contents=answers[0],
        alternatives=tuple(answers[1:]),
        confidence=min(known.confidence, CLEAR - 0.01),
        is_clear=False,
    )


def crowded(known: Known) -> Known:
    """Return the cell, where many cubes of one colour were seen with any number from hardly fewer to all there are."""
    crowd = max(known.contents.merchants.counts.items(), key=lambda item: item[1], default=None)
    if crowd is None or crowd[1] < CROWD:
        return known
    return uncounted(known, crowd[0], (crowd[1], crowd[1] - 1, MOST))


def widened(known: Known) -> Known:
    """Return a crowd with any number of its colour's cubes, the likely one first."""
    answers = (known.contents, *known.alternatives)
    color = next(one for one in Color if len({answer.merchants[one] for answer in answers}) > 1)
    return uncounted(known, color, (known.contents.merchants[color], 0, MOST))


def art_share(sample: Floats, top: Tone) -> float:
    """Return what share of the middle of a cell's sample is neither of a cube's tone nor of its sides or shadow."""
    return float(_is_art(sample, top)[0].mean())


def other_share(sample: Floats, top: Tone) -> float:
    """Return what share of the middle of a cell's sample is not of a cube's colour, what is much darker included."""
    art, along = _is_art(sample, top)
    return float((art | (along < _DARKER * np.linalg.norm(top))).mean())


def _is_art(sample: Floats, top: Tone) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return which pixels of the disc are art, and how far each lies along the line from black to the cubes' tone."""
    pixels = sample[_disc()]
    length = float(np.linalg.norm(top))
    along = np.asarray(pixels @ (top / length), dtype=np.float32)
    off_line = np.sqrt(np.maximum((pixels * pixels).sum(axis=1) - along * along, 0))
    return np.asarray((off_line > _OFF_LINE) | (along > _LIGHTER * length + _LIGHTER_LEAST)), along


@cache
def _disc() -> Mask:
    x, y = offsets()
    return np.asarray(np.hypot(x, y) < _DISC_CELLS)
