"""The game that is dealt on a table: of its board, with the pieces that it has taught."""

from pathlib import Path

import pytest

from calibration import TableFolder
from companion.board import Color, HexBoard, Section, SquareBoard
from companion.commands import StartGame
from companion.games import rule_set
from companion.games.contract import Player
from companion.games.silk_road import Ground
from companion.session import State
from companion.settings import Settings
from companion.setup import UnusableTableError
from companion.setup.learning import fitting, game_on, lies_on
from companion.wiring.choices import game_of
from companion.wiring.running import with_next
from simulator import write_square_table

BOARD, HEX = SquareBoard(), HexBoard()
SECTIONS = {"green": (Section("green-1", 4, rays=(0,)),), "teal": (Section("teal-1", rays=(1,)),)}


def test_a_game_of_another_board_gives_way_to_one_of_this_board_in_the_colours_taught() -> None:
    game = game_on(game_of(Settings()), BOARD, SECTIONS)
    assert (game.rules, [(player.name, player.color) for player in game.players]) == (
        "competitive",
        [("Ada", "green"), ("Bo", "teal")],
    )
    position = rule_set(game.rules).start(Ground(BOARD.corners[0], (), BOARD), game.players, game.options)
    assert {color: len(position.hand(color)) for color in SECTIONS} == {"green": 1, "teal": 1}


def test_players_whose_colours_were_taught_keep_them_and_house_rules_stay() -> None:
    asked = StartGame((Player("Cy", "teal"), Player("Bo", "brown")), "cooperative", {"hints": True, "sections": {}})
    game = game_on(asked, BOARD, SECTIONS)
    assert [player.color for player in game.players] == ["teal", "green"]
    assert (game.rules, game.options["hints"], set(game.options)) == ("cooperative", True, {"hints", "sections"})
    assert game_on(game, BOARD, SECTIONS) == game
    alone = game_on(StartGame((Player("Cy", "teal"),), "competitive"), BOARD, SECTIONS)
    assert alone.options["sections"].keys() == SECTIONS.keys(), "the next game may be played in the other colours"


def test_without_sections_a_square_board_has_the_made_up_set() -> None:
    game = game_on(game_of(Settings()), BOARD, {})
    assert ([player.color for player in game.players], game.options) == (["green", "brown", "yellow"], {})
    rule_set(game.rules).check(game.players, game.options)


def test_la_stradas_games_stay_as_they_are_but_for_sections_of_another_table() -> None:
    game = game_of(Settings())
    assert game_on(game, HEX, {}) == game
    silk = game_on(game, BOARD, SECTIONS)
    back = game_on(silk, HEX, {})
    assert (back.rules, [player.color for player in back.players]) == ("standard", [Color.BLACK, Color.GREY])


@pytest.mark.long
def test_a_drawn_tables_sections_are_those_of_its_games(tmp_path: Path) -> None:
    camera, _ = write_square_table(tmp_path, 5)
    table = TableFolder.open(tmp_path)
    state = with_next(State(game=game_of(Settings())), fitting(table))
    assert state.game is not None
    game = state.game
    position = rule_set(game.rules).start(Ground(BOARD.corners[0], (), BOARD), game.players, game.options)
    for player in game.players:
        taught = {section.id for section in camera.art.sets[str(player.color)]}
        assert {tile.section.id for tile in position.hand(player.color)} == taught  # type: ignore[union-attr]
    going_on = State(game=game, position=position)
    assert with_next(going_on, fitting(table)) is going_on
    assert lies_on(table, going_on)
    assert lies_on(None, going_on)
    (tmp_path / "setup" / "teach-2.json").write_text("{")
    with pytest.raises(UnusableTableError, match=r"teach-2\.json is no JSON"):
        fitting(table)
