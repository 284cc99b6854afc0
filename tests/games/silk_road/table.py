"""Tables of Silk Road as tests draw them: a board in characters, sections with rays to every side, moves by name."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.board import LaidSection, Section, SquareBoard, SquareCell
from companion.games.contract import Illegal, Legal, Player, Reason
from companion.games.silk_road import COMPETITIVE, Ground, Move, Pass, Placement, SilkRoad, SilkRoadPosition

BOARD = SquareBoard()
EVERY_SIDE = tuple(range(8))
COLORS = {"g": "green", "b": "brown", "u": "blue"}
NAMES = {"green": "Ada", "brown": "Bo", "blue": "Cy"}


def ground(snow: str = "A1", mountains: str = "B4 C2 D4 E2") -> Ground:
    return Ground(BOARD.cell(snow), tuple(map(BOARD.cell, mountains.split())))


def section(name: str, number: int = 0, rays: Sequence[int] = EVERY_SIDE) -> Section:
    return Section(name, number, rays=tuple(rays))


def hand(letter: str, count: int, rays: Sequence[int] = EVERY_SIDE) -> list[Section]:
    """Sections without numbers: g1, g2, ..."""
    return [section(f"{letter}{number}", rays=rays) for number in range(1, count + 1)]


def begin(
    hands: Mapping[str, Sequence[Section]], rules: SilkRoad = COMPETITIVE, board: Ground | None = None
) -> SilkRoadPosition:
    """The position before the first move; the players sit in the order of `hands`."""
    return rules.begin(board or ground(), [Player(NAMES[color], color) for color in hands], hands)


def place(name: str, cell: str, turn: int = 0, by: str | None = None) -> Placement:
    """A section laid by its owner, whose letter begins its id, or by another player."""
    return Placement(by or COLORS[name[0]], name, BOARD.cell(cell), turn)


def reasons(position: SilkRoadPosition, move: Move) -> tuple[Reason, ...]:
    """The reasons against a move; none if it is legal."""
    verdict = COMPETITIVE.judge_move(position, move)
    return verdict.reasons if isinstance(verdict, Illegal) else ()


def codes(position: SilkRoadPosition, move: Move) -> list[str]:
    """The codes of the reasons against a move."""
    return [reason.code for reason in reasons(position, move)]


def after(position: SilkRoadPosition, *moves: Move) -> SilkRoadPosition:
    """The position after moves that are all legal."""
    for move in moves:
        verdict = COMPETITIVE.judge_move(position, move)
        assert isinstance(verdict, Legal), (move, verdict)
        position = verdict.after
    return position


def drawn(picture: str, rules: SilkRoad = COMPETITIVE, players: str = "gb") -> SilkRoadPosition:
    """A position as drawn. "g8" is a green section with an 8; h: a horse, |: a dead end; S snow, M mountain, . open.

    The sections' ids are the names of their squares; their rays point in all directions.
    """
    tokens = dict(zip(BOARD.cells, picture.split(), strict=True))
    snow = [cell for cell, token in tokens.items() if token == "S"]
    mountains = tuple(cell for cell, token in tokens.items() if token == "M")
    laid = {cell: _laid(cell, token) for cell, token in tokens.items() if token[0] in COLORS}
    colors = [COLORS[letter] for letter in players]
    hands = {color: [each.section for each in laid.values() if each.color == color] for color in colors}
    return replace(begin(hands, rules, Ground(snow[0] if snow else BOARD.cell("F1"), mountains)), laid=laid)


def _laid(cell: SquareCell, token: str) -> LaidSection:
    number = token[1:].rstrip("h|") or "0"
    return LaidSection(Section(str(cell), int(number), "h" in token, EVERY_SIDE, "|" in token), COLORS[token[0]])


def passes(*letters: str) -> list[Pass]:
    return [Pass(COLORS[letter]) for letter in letters]


def names(cells: Sequence[SquareCell]) -> str:
    return " ".join(map(str, cells))
