"""Drawn tables of Silk Road: the same from the same seed, and what they say about themselves is true."""

from dataclasses import replace

import numpy as np
import pytest

from companion.board import LaidSection, Mountain, Section, Snow
from companion.games.silk_road.position import made_up_sets
from simulator import Hand
from simulator.square_art import SquareArt, random_sets
from simulator.square_camera import SquareCamera, bumped, random_board, square_camera, square_setup

SEED = 3


def look_of(section: Section) -> tuple[tuple[int, ...], int, bool, bool]:
    """Return what is printed on a section, whatever it is called and however it is turned."""
    rays = min(LaidSection(section, "green", turn).rays for turn in range(4))
    return rays, section.number, section.has_horse, section.is_dead_end


@pytest.fixture(scope="module")
def table() -> SquareCamera:
    return square_camera(SEED, width=656, height=492)


def test_a_seed_draws_the_same_picture_again(table: SquareCamera) -> None:
    scene = random_board(table.art, np.random.default_rng(1))
    again = square_camera(SEED, width=656, height=492)
    assert (square_camera(SEED, width=656, height=492).picture(scene) == again.picture(scene)).all()
    assert again.art == table.art
    assert square_camera(SEED + 1, width=656, height=492).art != table.art


def test_a_set_up_shows_every_piece_once_and_unturned(table: SquareCamera) -> None:
    setup = square_setup(table, SEED)
    pieces = [laid.tile for scene in setup.teach for laid in scene.tiles.values()]
    sections = [piece for piece in pieces if isinstance(piece, LaidSection)]
    assert {(one.color, one.section) for one in sections} == {
        (color, section) for color, sections in table.art.sets.items() for section in sections
    }
    assert len(sections) == 4 * 14
    assert {one.turn for one in sections} == {0}
    assert pieces.count(Snow()) == 1
    assert pieces.count(Mountain()) == 4
    assert not setup.empty.tiles


def test_clicks_lie_on_the_corner_cells_give_or_take_a_hand(table: SquareCamera) -> None:
    centres = table.centres()
    for cell, click in square_setup(table, SEED).clicks.items():
        assert np.hypot(*np.subtract(centres[cell], click)) < 8.1


@pytest.mark.parametrize("seed", range(12))
def test_a_random_board_is_one_that_a_game_may_leave(table: SquareCamera, seed: int) -> None:
    scene = random_board(table.art, np.random.default_rng(seed))
    board, lying = scene.board, {cell: laid.tile for cell, laid in scene.tiles.items()}
    (snow,) = [cell for cell, piece in lying.items() if piece == Snow()]
    mountains = [cell for cell, piece in lying.items() if piece == Mountain()]
    assert snow in board.corners
    assert not any(board.is_rim(cell) or board.are_neighbours(cell, snow) for cell in mountains)
    assert not any(board.are_neighbours(one, other) for one in mountains for other in mountains)
    sections = {cell: piece for cell, piece in lying.items() if isinstance(piece, LaidSection)}
    assert len({(one.color, one.section.id) for one in sections.values()}) == len(sections) <= 31
    for cell in sections:
        pointed_at = any(other.neighbour(ray) == cell for other, one in sections.items() for ray in one.rays)
        assert pointed_at or board.are_neighbours(cell, snow)


def test_loose_tiles_lie_askew_by_so_much_and_no_more(table: SquareCamera) -> None:
    laid = [one for seed in range(20) for one in random_board(table.art, np.random.default_rng(seed)).tiles.values()]
    aside = np.array([(one.x, one.y) for one in laid]) / 4
    askew = np.degrees([(one.turn + np.pi / 4) % (np.pi / 2) - np.pi / 4 for one in laid])
    assert 0.03 < np.abs(aside).max() <= 0.06
    assert 2 < np.abs(askew).max() <= 4.001


def test_a_hand_hides_the_cells_below_it_and_no_others(table: SquareCamera) -> None:
    scene = random_board(table.art, np.random.default_rng(2))
    assert not table.truth(scene).occluded
    # Fingertips on the board's middle; the arm comes from below.
    hidden = table.truth(replace(scene, hand=Hand(0.0, 1.0, np.pi / 2))).occluded
    assert {"E3", "E4", "F3", "F4"} <= {str(cell) for cell in hidden}
    assert not any(cell.row < 2 for cell in hidden)


def test_a_pushed_board_is_seen_elsewhere(table: SquareCamera) -> None:
    scene = bumped(random_board(table.art, np.random.default_rng(2)), np.random.default_rng(3))
    before, after = table.centres(), table.centres(scene.nudge)
    assert max(np.hypot(*np.subtract(before[cell], after[cell])) for cell in before) > 3
    still = replace(scene, nudge=replace(scene.nudge, x=0.0, y=0.0, turn=0.0))
    assert np.abs(table.picture(scene).astype(int) - table.picture(still)).mean() > 2


def test_random_sets_have_no_two_sections_of_a_colour_that_look_alike() -> None:
    for seed in range(10):
        for sections in random_sets(np.random.default_rng(seed)).values():
            assert len(set(map(look_of, sections))) == len(sections) == 14


def test_a_printing_shows_the_sets_that_it_is_asked_for() -> None:
    art = SquareArt.made(np.random.default_rng(1), made_up_sets(("green", "blue")))
    assert set(art.sets) == set(art.base) == {"green", "blue"}
