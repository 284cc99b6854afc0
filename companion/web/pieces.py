"""The pages' words for colours, terrains, settlements and games, and about each game, in the reader's language.

Also how players and tiles look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Flask

from companion import drawing
from companion.board import Board, Color, Contents, HexCell, PlayerColor, SettlementType, Terrain, Tile
from companion.games import RULE_SETS
from companion.games.contract import Player, RuleSet
from companion.web.languages import _, language, said
from companion.words.pieces import BOXES, TERRAINS
from companion.words.speech import Speech, alone


def add_pieces(app: Flask) -> None:
    """Give templates the `colors`, `terrains` and `settlements`, as pairs of code and name.

    Also `looks(players)`, each colour's look; `tile(tile, looks)`, its drawing around 0, 0; `told_of(board)`, what
    people are told about the game that is played on it; and `called(player)`.
    """
    app.jinja_env.globals.update(looks=looks, look_of=look_of, tile=tile_drawing, told_of=told_of, called=called)

    @app.context_processor
    def pieces() -> dict[str, Any]:
        return {
            "colors": [(color.value, color_name(color)) for color in Color],
            "terrains": [(terrain.value, alone(said(TERRAINS[terrain]))) for terrain in Terrain],
            "settlements": [(kind.value, alone(said(BOXES[kind]))) for kind in SettlementType],
        }


def looks(players: Iterable[Any]) -> drawing.Looks:
    """Return the looks of those players, who each have a `color`, in seat order."""
    colors = tuple(player.color for player in players)
    return drawing.looks_of(colors, tuple(map(color_name, colors)))


def look_of(color: PlayerColor, styles: drawing.Looks | None = None) -> drawing.Look:
    """Return that colour's look among those given, or among the colours of its box while nobody plays yet."""
    return drawing.look_of(color, _of_the_boxes() if styles is None else styles)


def _of_the_boxes() -> drawing.Looks:
    """Return the looks of all colours, with letters in the reader's language that distinguish those of a box."""
    found: dict[PlayerColor, drawing.Look] = {}
    for colors in dict.fromkeys(rules.colors for rules in RULE_SETS.values()):
        found = {**drawing.looks_of(colors, tuple(map(color_name, colors))), **found}
    return found


def tile_drawing(tile: Tile, styles: drawing.Looks | None = None) -> str:
    """Return a tile drawn around 0, 0."""
    return drawing.pieces({HexCell(0, 0): Contents(tile)}, _of_the_boxes() if styles is None else styles)


def color_name(color: PlayerColor) -> str:
    """Return a colour's name; one that a table has named itself keeps that name."""
    return Speech(language=language()).color(color)


def called(player: Any) -> str:
    """Return the player's name, or their colour if they have none. They have a `name` and a `color`."""
    return Speech(language=language()).called(Player(player.name, player.color))


def played_on(board: Board) -> list[RuleSet]:
    """Return the rule sets that are played on such a board."""
    return [rules for rules in RULE_SETS.values() if isinstance(board, type(rules.board))]


def game_on(board: Board) -> str:
    """Return which game is played on such a board, the `game` of its rule sets."""
    return played_on(board)[0].game


@dataclass(frozen=True, slots=True)
class Told:
    """What people are told before a game, and while they correct a cell; `cell` is an example of a cell's name."""

    waiting: str
    waiting_by_hand: str
    deal: str
    deal_by_hand: str
    hints: str
    correct: str
    cell: str


def told_of(board: Board) -> Told:
    """Return what people are told about the game that is played on such a board, in their language."""
    return _TOLD[game_on(board)]()


def _of_la_strada() -> Told:
    return Told(
        waiting=_("Assemble the board, lay out the settlements and press the button."),
        waiting_by_hand=_(
            "Lay out the settlements. On the page Keeper, tap each one’s cell and say what it is. Then start."
        ),
        deal=_("Clear the board, lay out the settlements face up, and take your hands away."),
        deal_by_hand=_("Lay out the settlements. Then tap each one’s cell on the board and say what it is."),
        hints=_("Hints: the scoreboard may show the cheapest road to each settlement"),
        correct=_("Tap a cell to correct what is there."),
        cell="G7",
    )


def _of_silk_road() -> Told:
    start = _("Put the snow and the mountains on the board, then start.")
    return Told(
        waiting=start,
        waiting_by_hand=start,
        deal=_("Clear the board, put down the snow and the mountains, and take your hands away."),
        deal_by_hand=_(
            "Put down the snow and the mountains. Then tap each of their squares on the board and say what is there."
        ),
        hints=_("Hints: the scoreboard may show where a section can go"),
        correct=_("Tap a square to say what is there."),
        cell="B2",
    )


#: One row per game.
_TOLD: Mapping[str, Callable[[], Told]] = {"la-strada": _of_la_strada, "silk-road": _of_silk_road}
#: The games' names, the same in every language.
GAME_NAMES: Mapping[str, str] = {"la-strada": "La Strada", "silk-road": "Silk Road"}
