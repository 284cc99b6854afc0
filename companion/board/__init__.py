"""What can lie where: cells, tiles, merchants, readings and how they differ. Standard library only."""

from companion.board.any_board import Board, Cell, PlayerColor
from companion.board.components import (
    BARE,
    EDGE_PAIRS,
    PLAYERS_TILES,
    Color,
    Contents,
    Merchants,
    Road,
    Settlement,
    SettlementType,
    Shape,
    Terrain,
    Tile,
    Workshop,
    player_color,
)
from companion.board.errors import BadInputError, NotNowError
from companion.board.hexagon import OPPOSITE, HexBoard, HexCell, board_order, by_hexagon, in_board_order, opposite
from companion.board.notation import reading_from_json, reading_to_json
from companion.board.pieces import Layout, Lie
from companion.board.reading import CellChange, CellReading, Change, Reading, difference
from companion.board.remarks import DealRemarks
from companion.board.section import LaidSection, Mountain, Section, Snow
from companion.board.section_notation import section_from_json, section_to_json, sections_from_json
from companion.board.square import QUARTERS, SQUARE_DIRECTIONS, SquareBoard, SquareCell, by_square

__all__ = [
    "BARE",
    "EDGE_PAIRS",
    "OPPOSITE",
    "PLAYERS_TILES",
    "QUARTERS",
    "SQUARE_DIRECTIONS",
    "BadInputError",
    "Board",
    "Cell",
    "CellChange",
    "CellReading",
    "Change",
    "Color",
    "Contents",
    "DealRemarks",
    "HexBoard",
    "HexCell",
    "LaidSection",
    "Layout",
    "Lie",
    "Merchants",
    "Mountain",
    "NotNowError",
    "PlayerColor",
    "Reading",
    "Road",
    "Section",
    "Settlement",
    "SettlementType",
    "Shape",
    "Snow",
    "SquareBoard",
    "SquareCell",
    "Terrain",
    "Tile",
    "Workshop",
    "beside",
    "board_order",
    "by_hexagon",
    "by_square",
    "difference",
    "in_board_order",
    "opposite",
    "player_color",
    "reading_from_json",
    "reading_to_json",
    "section_from_json",
    "section_to_json",
    "sections_from_json",
]
