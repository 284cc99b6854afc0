"""One component is taught again by itself, and several photographs of components are put together."""

import shutil
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from calibration import TableFolder
from companion.board import (
    BARE,
    BadInputError,
    Color,
    Contents,
    HexBoard,
    Merchants,
    Reading,
    Road,
    Settlement,
    SettlementType,
    Terrain,
)
from companion.setup.components import Component, Kind, on_cell, shown_in
from companion.setup.draft import Draft
from companion.setup.empty_board import EmptyBoard
from companion.setup.lessons import together
from companion.setup.store import Store
from simulator.setup import write_photograph
from tests.setup.conftest import EVENING, Drawn, Hall, lying, put_right
from vision.light.flatten import Image
from vision.reader import Reader

BOARD = HexBoard(6)
RED_CUBE = Component(Kind.CUBE, "red")
ONE_RED = Contents(None, Merchants(red=1))


@pytest.fixture
def saved(hall: Hall, taught_draft: Draft) -> Hall:
    """A hall with the drawn table saved in its store."""
    hall.store.save(taught_draft.finished("kitchen"), EVENING - timedelta(days=1))
    return hall


def taught_again(saved: Hall, component: Component, picture: Image) -> Reading:
    """Begin to teach a component of the only table again; return what is proposed."""
    (table,) = saved.wizard.tables
    saved.wizard.again(table.path.name, component)
    return saved.propose(picture)


@pytest.mark.long
def test_only_the_merchant_that_is_taught_again_is_replaced(saved: Hall, drawn: Drawn) -> None:
    (table,), before = saved.wizard.tables, drawn.truth
    new = [cell for cell in BOARD.cells if before.contents(cell) == BARE][:3]
    picture = drawn.picture(drawn.scene(dict.fromkeys(new, ONE_RED)))
    assert lying(taught_again(saved, RED_CUBE, picture)) == new
    again, _ = saved.wizard.save("kitchen")
    shown, truth = TableFolder.open(again.path).load_teach()
    old = {cell: BARE for cell in BOARD.cells if RED_CUBE in on_cell(before.contents(cell))}
    expected = {cell: before.contents(cell) for cell in BOARD.cells} | old | dict.fromkeys(new, ONE_RED)
    assert {cell: truth.contents(cell) for cell in BOARD.cells} == expected
    assert shown.shape == drawn.shown.shape
    assert [stored.path for stored in saved.wizard.tables] == [again.path, table.path]
    Reader.of(TableFolder.open(again.path))


@pytest.mark.long
def test_what_a_component_left_behind_shows_the_empty_board(saved: Hall, drawn: Drawn) -> None:
    free = next(cell for cell in BOARD.cells if drawn.truth.contents(cell) == BARE)
    taught_again(saved, RED_CUBE, drawn.picture(drawn.scene({free: ONE_RED})))
    again, _ = saved.wizard.save("kitchen")
    shown, truth = TableFolder.open(again.path).load_teach()
    old = next(cell for cell in BOARD.cells if drawn.truth.contents(cell) == ONE_RED)
    assert truth.contents(old) == BARE
    x, y = (round(value) for value in drawn.setup.camera.centres()[old])
    here = np.s_[y - 8 : y + 9, x - 8 : x + 9]
    left = np.abs(shown[here].astype(int) - drawn.empty[here]).mean()
    assert left < np.abs(drawn.shown[here].astype(int) - drawn.empty[here]).mean() / 2


@pytest.mark.long
def test_a_road_taught_again_is_a_road_of_that_colour_whatever_it_looks_like(saved: Hall, drawn: Drawn) -> None:
    cells = [cell for cell in BOARD.cells if drawn.truth.contents(cell) == BARE][5:8]
    roads = [Road(Color.GREY, terrain, (0, 3)) for terrain in Terrain]
    laid = {cell: Contents(road) for cell, road in zip(cells, roads, strict=True)}
    found = taught_again(saved, Component(Kind.ROAD, "grey"), drawn.picture(drawn.scene(laid)))
    tiles = [found.contents(cell).tile for cell in lying(found)]
    assert tiles
    assert all(isinstance(tile, Road) and tile.color is Color.GREY for tile in tiles)


@pytest.mark.long
def test_a_component_taught_again_must_be_shown(saved: Hall) -> None:
    (table,) = saved.wizard.tables
    saved.wizard.again(table.path.name, RED_CUBE)
    assert saved.wizard.now.hexagonal().lacking == ((RED_CUBE,), ())
    with pytest.raises(BadInputError, match="no photograph shows cube-red"):
        saved.wizard.save("kitchen")


def test_an_unknown_component_is_refused_with_a_list_of_the_known_ones() -> None:
    with pytest.raises(BadInputError, match="'cube-pink' is not a component; there are settlement-city"):
        Component.named("cube-pink")
    assert Component.named("marker-grey") == Component(Kind.MARKER, "grey")


@pytest.mark.long
def test_three_photographs_teach_what_one_would(drawn: Drawn, ground: EmptyBoard, tmp_path: Path) -> None:
    cells = lying(drawn.truth)
    draft = Draft(ground, tracks=drawn.folder.setup.tracks)
    for part in range(3):
        laid = {cell: drawn.truth.contents(cell) for cell in cells[part::3]}
        scene = drawn.scene(laid, seed=part)
        if part == 1:
            rng = np.random.default_rng(1)
            for color in Color:
                scene = scene.move_marker(color, 0, rng)
        draft = draft.taught(drawn.picture(scene))
        truth = drawn.setup.camera.truth(scene)
        draft = put_right(draft, part, truth)
        for color in Color:
            draft = draft.marked_at(part, color, truth.tracks[color])
    assert shown_in(draft.whole().reading) == shown_in(drawn.truth)
    stored = Store(tmp_path).save(draft.finished("three"), EVENING)
    reader = Reader.of(TableFolder.open(stored.path))
    reader.new_game(is_dealt=False)
    read = reader.read(drawn.shown)
    right = sum(read.contents(cell) == drawn.truth.contents(cell) or cell in read.unclear for cell in BOARD.cells)
    assert right >= len(BOARD.cells) - 4


@pytest.mark.long
def test_what_lies_where_something_lay_before_is_copied_to_a_free_cell(
    drawn: Drawn, taught_draft: Draft, ground: EmptyBoard
) -> None:
    (first,) = taught_draft.lessons
    cell = next(cell for cell in lying(drawn.truth) if drawn.truth.contents(cell).tile is not None)
    contents = Contents(Road(Color.RED, Terrain.HILL, (1, 4)))
    draft = Draft(ground, tracks=drawn.folder.setup.tracks).taught(drawn.picture(drawn.scene({cell: contents})))
    second = draft.corrected_at(0, cell, contents).lessons[0]
    whole = together([first, second], draft.look, draft.tracks)
    assert whole.reading.contents(cell) == drawn.truth.contents(cell)
    (moved,) = [other for other in BOARD.cells if whole.reading.contents(other) != first.reading.contents(other)]
    assert whole.reading.contents(moved) == contents
    assert drawn.truth.contents(moved) == BARE
    x, y = (round(value) for value in drawn.setup.camera.centres()[moved])
    here = np.s_[y - 5 : y + 6, x - 5 : x + 6]
    assert np.abs(whole.image[here].astype(int) - drawn.empty[here]).mean() > 15


def test_nothing_shown_is_nothing_to_put_together(taught_draft: Draft) -> None:
    with pytest.raises(BadInputError, match="no photograph shows any component"):
        together([], taught_draft.look, taught_draft.tracks)


@pytest.mark.long
def test_what_further_photographs_taught_is_kept_where_one_component_is_taught_again(
    drawn: Drawn, tmp_path: Path
) -> None:
    shutil.copytree(drawn.folder.path, tmp_path / "table")
    city = Settlement(SettlementType.CITY)
    cell = next(cell for cell in BOARD.cells if drawn.truth.contents(cell) == BARE)
    scene = drawn.scene({cell: Contents(city)})
    write_photograph(tmp_path / "table" / "setup" / "teach-2.jpg", drawn.setup.camera, scene)
    base = Draft.reteaching(TableFolder.open(tmp_path / "table"), RED_CUBE).base
    assert base is not None
    assert base.reading.contents(cell) == Contents(city)
    assert all(base.reading.contents(other) == drawn.truth.contents(other) for other in lying(drawn.truth))
