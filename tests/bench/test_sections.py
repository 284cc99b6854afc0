"""What bench.sections counts as wrong, as open and as hidden."""

from bench.sections import Count, in_words, kind_of
from companion.board import CellReading, Contents, LaidSection, Mountain, Reading, Section, Snow, SquareBoard

BOARD = SquareBoard(2)
A1, A2, B1, B2 = BOARD.cells
LAID = LaidSection(Section("green-3", rays=(0, 3)), "green", 2)
TRUTH = Reading(BOARD, {A1: CellReading(Contents(Snow())), A2: CellReading(Contents(LAID))}, occluded=frozenset({B2}))


def read(**pieces: CellReading) -> Reading:
    return Reading(BOARD, {BOARD.cell(name): found for name, found in pieces.items()})


def test_a_board_read_as_it_lies_is_exact() -> None:
    count = Count()
    assert not count.note("it", read(A1=CellReading(Contents(Snow())), A2=CellReading(Contents(LAID))), TRUTH)
    assert (count.boards, count.exact, count.cells, count.hidden) == (1, 1, 3, 1)
    assert count.to_json()["silent"]["count"] == 0


def test_another_turn_is_silently_wrong_and_named() -> None:
    count = Count()
    turned = LaidSection(LAID.section, "green", 1)
    assert count.note("it", read(A1=CellReading(Contents(Snow())), A2=CellReading(Contents(turned))), TRUTH) == [A2]
    assert count.wrong == ["it A2: read green-3 turned 1, is green-3 turned 2"]
    assert count.wrong_by_kind["section"] == 1


def test_what_is_not_spoken_for_is_open_and_not_wrong() -> None:
    count = Count()
    reading = Reading(BOARD, {A2: CellReading(Contents(LAID))}, unclear=frozenset({A1}))
    assert count.note("it", reading, TRUTH) == [A1]
    assert (count.abstained, count.abstained_by_kind["snow"], count.wrong) == (1, 1, [])


def test_words_about_a_hidden_cell_are_counted_apart() -> None:
    count = Count()
    cells = {name: CellReading(Contents(piece)) for name, piece in (("A1", Snow()), ("A2", LAID), ("B2", Mountain()))}
    assert not count.note("it", read(**cells), TRUTH)
    assert (count.hidden_wrong, count.wrong) == (1, [])


def test_pieces_are_told_by_their_kind_and_a_bare_cell_is_called_so() -> None:
    assert [kind_of(piece) for piece in (None, Snow(), Mountain(), LAID)] == ["bare", "snow", "mountain", "section"]
    assert in_words(None) == "bare"
