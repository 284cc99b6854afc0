"""Frozen values to plain JSON values and back, guided by their types: what a game needs to survive a power cut.

`Forms().write(Event, event)` gives plain values, `Forms().read(Event, plain)` an equal event. How a class of ours is
written follows from its fields, so that a new event or a new field needs no code here:

- a dataclass is an object of the fields that it is made with, except those that hold their default; one of several (a
  union) says which it is under "is". A field whose absence means something else in older logbooks is in `_LATER`
- a mapping is an object, its keys as they would be written; a set or tuple is a list
- a cell is its name, "G7"; on a hexagon of other than 6 rings, with their number, "D4/3"; on a square board, "B2#6"
- a tile is written as in FORMAT.md, merchants are those present, a set of rules is its name

A position's ground is left out: it is the same for a whole game, and is given again when the position is read.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from companion.board import (
    BadInputError,
    Board,
    Cell,
    HexBoard,
    HexCell,
    Merchants,
    PlayerColor,
    SquareBoard,
    SquareCell,
    Tile,
    board_order,
    player_color,
)
from companion.board.fields import mapping
from companion.board.notation import merchants_from_json, tile_from_json, tile_to_json
from companion.events import MoveRefused
from companion.games import rule_set
from companion.games.contract import Dealt, Position
from companion.games.la_strada import Ground, LaStrada, LaStradaPosition, Rules
from companion.games.silk_road import Ground as EmptySquareBoard
from companion.games.silk_road import SilkRoadPosition

Kind = TypeVar("Kind")

_TILES = get_args(Tile)

#: The positions that can be kept, by the `game` of a record, and what they are played on.
POSITIONS: Mapping[str, type] = {"la-strada": LaStradaPosition, "silk-road": SilkRoadPosition}
GROUNDS: Mapping[str, type] = {"la-strada": Ground, "silk-road": EmptySquareBoard}

#: The types of a dataclass's fields: working them out takes longer than reading a value.
_hints = cache(get_type_hints)

#: The game whose grounds were kept before there were other games: they do not name it.
_FIRST = "la-strada"


class _Form(NamedTuple):
    """How values of one type are written and read; `read` raises BadInputError, KeyError, TypeError or ValueError."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


class Forms:
    """The forms of all types; `write_position` and `read_position` may turn positions into numbers in a list, say.

    Without them, a position is written whole except for its ground, and read on the `ground` given.
    """

    def __init__(
        self,
        ground: Dealt | None = None,
        write_position: Callable[[Position], Any] | None = None,
        read_position: Callable[[Any], Position] | None = None,
    ) -> None:
        self._ground = ground
        self._known = {
            **_OWN,
            Dealt: _Form(self.write_ground, self.read_ground),
            Position: _Form(write_position or self.write_position, read_position or self.read_position),
        }

    def write(self, kind: type[Kind] | Any, value: Kind) -> Any:
        """Return the value, which is of that type, as plain JSON values."""
        return self._form(kind).write(value)

    def read(self, kind: type[Kind], plain: object) -> Kind:
        """Return the value of that type; raises BadInputError if the plain values are not one."""
        try:
            return cast(Kind, self._form(kind).read(plain))
        except BadInputError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            name = getattr(kind, "__name__", str(kind))
            raise BadInputError(f"{plain!r:.60} is no {name} ({type(error).__name__}: {error})") from None

    def write_position(self, position: Position) -> dict[str, Any]:
        """Return a position whole, except for its ground."""
        game = _game_of(position, POSITIONS)
        return {"game": game, **self.write(POSITIONS[game], position)}

    def read_position(self, plain: object) -> Position:
        """Return the position that was written whole, on the ground given; raises BadInputError."""
        value = mapping(plain, "a position")
        game = value.get("game")
        if not isinstance(game, str) or game not in POSITIONS or self._ground is None:
            raise BadInputError(f"a position of {game!r:.60} cannot be read without its game and ground")
        return cast(Position, self.read(POSITIONS[game], value))

    def write_ground(self, ground: Dealt) -> Any:
        """Return what was dealt as plain JSON values: La Strada's as it is, another game's with its name."""
        game = _game_of(ground, GROUNDS)
        plain = self.write(GROUNDS[game], ground)
        return plain if game == _FIRST else {"game": game, **plain}

    def read_ground(self, plain: object) -> Dealt:
        """Return what was dealt; raises BadInputError if the plain values are not a game's ground."""
        value = mapping(plain, "a ground")
        game = value.get("game", _FIRST)
        if not isinstance(game, str) or game not in GROUNDS:
            raise BadInputError(f"a ground of {game!r:.60} is not known; there are those of {', '.join(GROUNDS)}")
        return cast(Dealt, self.read(GROUNDS[game], value))

    def _form(self, kind: Any) -> _Form:
        if kind not in self._known:
            self._known[kind] = self._made(kind)
        return self._known[kind]

    def _made(self, kind: Any) -> _Form:
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, types.UnionType):
            return self._union(inner)
        if origin is tuple:
            return self._tuple(inner)
        if origin in (frozenset, set):
            return self._list(inner[0], frozenset, partial(sorted, key=_order))
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return self._mapping(*inner)
        if isinstance(kind, type) and issubclass(kind, Enum):
            if issubclass(kind, str):
                return _Form(lambda word: word.value, kind)
            return _Form(lambda word: word.name.lower(), lambda name: kind[name.upper()])
        if is_dataclass(kind):
            return self._dataclass(kind)
        raise TypeError(f"no form for {kind!r}: a field of another type needs one here")

    def _union(self, kinds: tuple[Any, ...]) -> _Form:
        present = [kind for kind in kinds if kind is not type(None)]
        form = self._form(present[0]) if len(present) == 1 else self._choice(present)
        if len(present) == len(kinds):
            return form
        return _Form(
            lambda value: None if value is None else form.write(value),
            lambda plain: None if plain is None else form.read(plain),
        )

    def _choice(self, kinds: list[Any]) -> _Form:
        if set(kinds) == set(_TILES):
            return _Form(tile_to_json, _tile)
        named = {kind.__name__: kind for kind in kinds}

        def read(plain: Any) -> Any:
            name = mapping(plain, " or ".join(sorted(named))).get("is")
            if name not in named:
                raise BadInputError(f"{name!r:.60} is not known; there are {', '.join(sorted(named))}")
            return self._form(named[name]).read(plain)

        return _Form(lambda value: {"is": type(value).__name__, **self._form(type(value)).write(value)}, read)

    def _tuple(self, inner: tuple[Any, ...]) -> _Form:
        if inner[1:] == (...,):
            return self._list(inner[0], tuple)
        forms = [self._form(kind) for kind in inner]
        return _Form(
            lambda value: [form.write(one) for form, one in zip(forms, value, strict=True)],
            lambda plain: tuple(form.read(one) for form, one in zip(forms, _listed(plain), strict=True)),
        )

    def _list(self, held: Any, made: Callable[..., Any], in_order: Callable[[Any], Any] = iter) -> _Form:
        form = self._form(held)
        return _Form(
            lambda value: [form.write(one) for one in in_order(value)],
            lambda plain: made(map(form.read, _listed(plain))),
        )

    def _mapping(self, key: Any, held: Any) -> _Form:
        keys, values = self._form(key), self._form(held)
        return _Form(
            lambda value: {keys.write(name): values.write(one) for name, one in value.items()},
            lambda plain: {keys.read(name): values.read(one) for name, one in mapping(plain, "a mapping").items()},
        )

    def _dataclass(self, kind: Any) -> _Form:
        hints, later = _hints(kind), _LATER.get(kind, {})
        apart = {"ground": self._ground} if kind in POSITIONS.values() else {}
        parts = [each for each in fields(kind) if each.init and each.name not in apart]
        forms = {each.name: self._form(hints[each.name]) for each in parts}
        defaults = {each.name: MISSING if each.name in later else _default(each) for each in parts}

        def write(value: Any) -> dict[str, Any]:
            held = {name: getattr(value, name) for name in forms}
            return {name: form.write(held[name]) for name, form in forms.items() if held[name] != defaults[name]}

        def read(plain: Any) -> Any:
            given = mapping(plain, kind.__name__)
            values = {name: form.read(given[name]) for name, form in forms.items() if name in given}
            return kind(**{name: of(values) for name, of in later.items()} | values | apart)

        return _Form(write, read)


def _game_of(value: object, kinds: Mapping[str, type]) -> str:
    return next(game for game, kind in kinds.items() if isinstance(value, kind))


def _default(each: Field[Any]) -> Any:
    """Return the field's default; MISSING, which nothing is equal to, if it has none."""
    return each.default if each.default_factory is MISSING else each.default_factory()


def _plain_object(value: Any) -> Any:
    """Return what an option holds, as JSON would give it back."""
    if isinstance(value, Mapping):
        return {_plain_object(name): _plain_object(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [_plain_object(one) for one in value]
    return value.value if isinstance(value, Enum) else value


def _order(value: Any) -> Any:
    return board_order(value) if isinstance(value, HexCell | SquareCell) else str(value)


def _listed(plain: Any) -> list[Any]:
    if not isinstance(plain, list):
        raise BadInputError(f"{plain!r:.60} should be a list")
    return plain


def _exactly(*kinds: type) -> _Form:
    def read(plain: Any) -> Any:
        if type(plain) not in kinds:
            raise BadInputError(f"{plain!r:.60} should be of type {kinds[-1].__name__}")
        return plain

    return _Form(lambda value: value, read)


def _write_cell(cell: HexCell | SquareCell) -> str:
    if isinstance(cell, SquareCell):
        return f"{cell}#{cell.side}"
    return str(cell) if cell.rings == HexBoard().rings else f"{cell}/{cell.rings}"


@cache
def _read_cell(name: str) -> HexCell | SquareCell:
    square, _, side = name.partition("#")
    if side:
        return SquareBoard(int(side)).cell(square)
    cell, _, rings = name.partition("/")
    return HexBoard(int(rings or HexBoard().rings)).cell(cell)


def _write_board(board: HexBoard | SquareBoard) -> dict[str, int]:
    return {"side": board.side} if isinstance(board, SquareBoard) else {"rings": board.rings}


def _read_board(plain: Any) -> HexBoard | SquareBoard:
    board = mapping(plain, "a board")
    return SquareBoard(board["side"]) if "side" in board else HexBoard(**board)


def _read_color(name: Any) -> Any:
    if not isinstance(name, str):
        raise BadInputError(f"{name!r:.60} is not a player's colour")
    return player_color(name)


def _tile(plain: Any) -> Any:
    tile = tile_from_json(plain, "a tile")
    if tile is None:
        raise BadInputError("a tile is null")
    return tile


def _rules(name: Any) -> Rules:
    rules = rule_set(str(name))
    assert isinstance(rules, LaStrada)
    return rules.rules


#: Reasons that usually concern only earlier pieces: `is_disturbed` was inferred from them before refusals had it.
_DISTURBED = {
    "ground-changed", "merchant-removed", "settlement-changed", "tile-changed", "tile-removed", "workshop-changed",
}  # fmt: skip


def _was_disturbed(refused: Mapping[str, Any]) -> bool:
    codes = {reason.code for reason in refused["reasons"]}
    return bool(codes) and codes <= _DISTURBED


#: Class -> fields that older logbooks lack, and how each follows from the others there; now they are always written.
_LATER: dict[type, dict[str, Callable[[Mapping[str, Any]], Any]]] = {MoveRefused: {"is_disturbed": _was_disturbed}}

#: Types that JSON has, and types of ours that have a form of their own.
_OWN: dict[Any, _Form] = {
    str: _exactly(str),
    bool: _exactly(bool),
    int: _exactly(int),
    float: _exactly(int, float),
    type(None): _exactly(type(None)),
    **dict.fromkeys((Cell, HexCell, SquareCell), _Form(_write_cell, _read_cell)),
    **dict.fromkeys((Any, object), _Form(_plain_object, lambda plain: plain)),
    Board: _Form(_write_board, _read_board),
    PlayerColor: _Form(str, _read_color),
    Merchants: _Form(
        lambda merchants: {color.value: count for color, count in merchants.counts.items()},
        lambda plain: merchants_from_json(plain, "merchants", least=-1000),
    ),
    Rules: _Form(lambda rules: rules.name, _rules),
    **dict.fromkeys(_TILES, _Form(tile_to_json, _tile)),
}
