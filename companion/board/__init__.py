"""What can lie where: cells, tiles, merchants, readings and how they differ. Standard library only."""

from companion.board.bitboard import beside, bitboard
from companion.board.components import (
    BARE,
    EDGE_PAIRS,
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
)
from companion.board.errors import BadInputError
from companion.board.hexagon import OPPOSITE, HexBoard, HexCell, board_order, in_board_order, opposite
from companion.board.notation import reading_from_json, reading_to_json
from companion.board.pieces import Layout, Lie
from companion.board.reading import CellChange, CellReading, Change, Reading, difference
from companion.board.remarks import DealRemarks
from companion.board.section import LaidSection, Section, section_from_json, section_to_json, sections_from_json
from companion.board.square import QUARTERS, SQUARE_DIRECTIONS, SquareBoard, SquareCell
from companion.board.square_reading import (
    Mountain,
    Piece,
    Snow,
    SquareCellReading,
    SquareReading,
    piece_from_json,
    piece_to_json,
    square_reading_from_json,
    square_reading_to_json,
)

__all__ = [
    "BARE",
    "EDGE_PAIRS",
    "OPPOSITE",
    "QUARTERS",
    "SQUARE_DIRECTIONS",
    "BadInputError",
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
    "Piece",
    "Reading",
    "Road",
    "Section",
    "Settlement",
    "SettlementType",
    "Shape",
    "Snow",
    "SquareBoard",
    "SquareCell",
    "SquareCellReading",
    "SquareReading",
    "Terrain",
    "Tile",
    "Workshop",
    "beside",
    "bitboard",
    "board_order",
    "difference",
    "in_board_order",
    "opposite",
    "piece_from_json",
    "piece_to_json",
    "reading_from_json",
    "reading_to_json",
    "section_from_json",
    "section_to_json",
    "sections_from_json",
    "square_reading_from_json",
    "square_reading_to_json",
]
