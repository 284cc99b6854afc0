"""A square board as SVG: its squares, snow, mountains and road sections.

Units: a square is 64 wide, so that things on it are about as large as things on a hexagon. A section has its owner's
colour, an inner line in the owner's rhythm, and a shape with the owner's letter. Its rays are arrows to the neighbours.
Its number is large in the middle, in a no-entry sign if it is a dead end; a horse's head shows a horse.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, hypot, radians, sin

from companion.board import QUARTERS, SQUARE_DIRECTIONS, LaidSection, SquareBoard, SquareCell
from companion.board.components import RAYS
from companion.drawing.looks import Look, two

#: A square's side, and the part of it that is drawn: the rest is the line between two squares.
SQUARE, TILE = 64.0, 58.0

#: One unit of the board's plane in the drawing's units.
UNIT = SQUARE / QUARTERS

#: Room round the board: letters and numbers at the left and above, wealth at the right and below.
RIM, WEALTH_RIM = 22.0, 32.0

#: A ray's arrow: where it begins, from the middle; how long its head is; how far it stays from the tile's edge.
_FROM, _HEAD, _SPARE = 17.5, 8.0, 1.5

#: How far from the middle signs other than numbers are: towards the tile's sides, and towards its corners.
_ASIDE, _CORNER = 22.0, 19.5

#: The order in which places for signs are used, by where people look first: upper corners, lower corners, then sides.
_PREFERRED = (3, 1, 5, 7, 2, 6, 4, 0)


def square_view_box(board: SquareBoard) -> str:
    """Return the SVG viewBox that holds the board, its letters and numbers, and the wealth of its roads."""
    half, whole = board.side * SQUARE / 2, board.side * SQUARE + RIM + WEALTH_RIM
    return f"{-half - RIM:.0f} {-half - RIM:.0f} {whole:.0f} {whole:.0f}"


@lru_cache(maxsize=4)
def square_ground(board: SquareBoard) -> str:
    """Return the board without anything on it."""
    half = board.side * SQUARE / 2
    squares = {
        kind: "".join(_outline(cell) for cell in board.cells if (cell.column + cell.row) % 2 == parity)
        for parity, kind in enumerate(("sand", "sand-too"))
    }
    letters = "".join(
        f'<text class="row" x="{-half - RIM / 2:.0f}" y="{_middle(row[0])[1] + 4:.0f}">{str(row[0])[0]}</text>'
        for row in board.rows
    )
    numbers = "".join(
        f'<text class="row" x="{_middle(column[0])[0]:.0f}" y="{-half - 7:.0f}">{str(column[0])[1:]}</text>'
        for column in board.columns
    )
    return (
        f'<rect class="frame" x="{-half - 4:.0f}" y="{-half - 4:.0f}" width="{2 * half + 8:.0f}" '
        f'height="{2 * half + 8:.0f}" rx="7"/>'
        + "".join(f'<path class="{kind}" d="{outline}"/>' for kind, outline in squares.items())
        + letters
        + numbers
    )


def snow() -> str:
    """Return the snow, centred on 0, 0."""
    return '<use href="#square" class="tile snow"/><use href="#snow" class="ice"/>'


def mountain() -> str:
    """Return a mountain, centred on 0, 0."""
    return '<use href="#square" class="tile rock"/><use href="#mountain" class="peak"/><use href="#peak" class="cap"/>'


def section(laid: LaidSection, look: Look) -> str:
    """Return a road section as it lies, centred on 0, 0."""
    rays, printed = laid.rays, laid.section
    places = _places(rays)
    arrows = "".join(_arrow(ray) for ray in rays)
    horse = ""
    if printed.has_horse:
        # On a section without a number, the horse is in the middle, where people look for it.
        x, y = places.pop(0) if printed.number else (0.0, 0.0)
        size = 0.62 if printed.number else 1.15
        horse = f'<use href="#horse" class="horse{"" if printed.number else " only"}" '
        horse += f'transform="translate({x:.1f} {y:.1f}) scale({size})"/>'
    x, y = places.pop(0)
    drop = 3.4 if look.name == "yellow" else 2.7  # a triangle
    return (
        f'<g class="section {look.name}"><use href="#square" class="face"/><use href="#square" class="inner"/>'
        f'<path class="ray" d="{arrows}"/>{_middle_sign(printed.number, printed.has_horse, printed.is_dead_end)}{horse}'
        f'<g class="whose" transform="translate({x:.1f} {y:.1f})"><use href="#o-{look.name}"/>'
        f'<text{two(look.letter)} y="{drop}">{look.letter}</text></g></g>'
    )


def _middle_sign(number: int, has_horse: bool, is_dead_end: bool) -> str:
    """Return the middle of the section: its number, on a disc; on a no-entry sign if it is a dead end."""
    size, drop = (" long", 6) if number > 99 else (" wide", 7.2) if number > 9 else ("", 8.2)
    label = f'<text class="worth{size}" y="{drop}">{number}</text>'
    if not is_dead_end and not (number or has_horse):
        return '<circle class="hub" r="7"/>'
    if not is_dead_end:
        return f'<circle class="disc" r="15.5"/>{label if number else ""}'
    bar = "" if has_horse and not number else f'<rect class="bar" x="-9.5" y="{-2.6 if not number else 9.4}" '
    if bar:
        bar += f'width="19" height="{5.2 if not number else 3.6}" rx="1.2"/>'
    lifted = f'<g transform="translate(0 -2.6) scale(.86)">{label}</g>' if number else ""
    return f'<path class="stop" d="{_octagon(17)}"/>{bar}{lifted}'


def _octagon(radius: float) -> str:
    corners = [(radius * cos(radians(22.5 + 45 * n)), radius * sin(radians(22.5 + 45 * n))) for n in range(8)]
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "Z"


def _arrow(ray: int) -> str:
    """Return the arrow of a ray as SVG path data: a shaft from the middle, a head at the tile's edge."""
    right, down = SQUARE_DIRECTIONS[ray]
    length = hypot(right, down)
    x, y = right / length, down / length
    tip = (TILE / 2 - _SPARE) * length * (1.0 if length == 1 else 0.93)
    neck = tip - _HEAD

    def at(along: float, aside: float) -> str:
        return f"{along * x - aside * y:.1f} {along * y + aside * x:.1f}"

    corners = ((3, 2.3), (neck, 2.3), (neck, 6.4), (tip, 0), (neck, -6.4), (neck, -2.3), (3, -2.3))
    return "M" + "L".join(at(along, aside) for along, aside in corners) + "Z"


def _places(rays: tuple[int, ...]) -> list[tuple[float, float]]:
    """Return the places with room for signs, the best first: where no ray points; between two rays if all eight do."""
    free = [direction for direction in _PREFERRED if direction not in rays]
    corners = []
    for direction in free:
        right, down = SQUARE_DIRECTIONS[direction]
        away = _ASIDE if 0 in (right, down) else _CORNER
        corners.append((right * away, down * away))
    between = ((-10.5, -23.0), (10.5, -23.0))
    return [*corners, *between][: len(RAYS) + 2]


def _outline(cell: SquareCell) -> str:
    x, y = _middle(cell)
    side = SQUARE - 2
    return f"M{x - side / 2:.0f} {y - side / 2:.0f}h{side:g}v{side:g}h{-side:g}z"


def _middle(cell: SquareCell) -> tuple[float, float]:
    x, y = cell.centre
    return UNIT * x, UNIT * y
