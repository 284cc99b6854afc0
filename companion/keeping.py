"""A keeper's decision, as it is typed and as it is sent: words become a small JSON body, and the body a Command.

| command | words | body | asks for |
| --- | --- | --- | --- |
| done | | {"confirmed": false} | the verdict; if unconfirmed, a question where the press may mean something else |
| yes | | | what was offered last |
| accept | | | accepting the refused move as it lies |
| undo | [N] | {"moves": 1} | taking back the latest moves |
| correct | CELL CONTENTS | {"cell": "G7", "contents": {...}, "done": false} | a correction of the cell |
| pause, resume | | | judging nothing, going on |
| end | | | the end of the game as it stands |

Contents are written as in companion.board.words or, in JSON, as in companion.board.notation.

A line of text is split into words as in a shell, and a # begins a comment.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from companion import commands
from companion.board import BadInputError, Board, Contents, LaidSection
from companion.board.fields import flag, only, text, whole
from companion.board.notation import contents_from_json, contents_to_json, tile_to_json
from companion.board.words import EXAMPLES, MOST_MERCHANTS, contents_from_words, contents_to_words

#: The fields that each command's body may have.
FIELDS = {
    "done": {"confirmed"},
    "yes": set[str](),
    "accept": set[str](),
    "undo": {"moves"},
    "correct": {"cell", "contents", "done"},
    "pause": set[str](),
    "resume": set[str](),
    "end": set[str](),
}

_BARE: Mapping[str, commands.Command] = {
    "yes": commands.TakeOffer(),
    "accept": commands.Accept(),
    "pause": commands.Pause(),
    "resume": commands.Resume(),
    "end": commands.EndGame(),
}


def body_of(
    name: str, words: Sequence[str], *, is_json: bool = False, sections: Collection[LaidSection] = ()
) -> dict[str, Any]:
    """Return the body of the command of that name, one of `FIELDS`, with these words; raises BadInputError.

    `is_json`: contents are JSON, not words. `sections` are those that words may name.
    """
    if is_json and name != "correct":
        raise BadInputError(f"--json is about what lies on a cell; {name} needs none")
    match name:
        case "undo":
            return _moves(words)
        case "correct":
            return _correction(words, is_json, sections)
        case _ if words:
            raise BadInputError(f"{name} takes nothing more; {' '.join(words)!r:.40} is too much")
        case _:
            return {}


def commands_of(name: str, body: Mapping[str, Any], board: Board) -> tuple[commands.Command, ...]:
    """Return the commands that this name, one of `FIELDS`, stands for, in order; raises BadInputError."""
    only(body, FIELDS[name], name)
    match name:
        case "done":
            return (commands.Done(flag(body, "confirmed")),)
        case "undo":
            return (commands.Undo(whole(body.get("moves", 1), "moves", 1, None)),)
        case "correct":
            cell = board.cell(text(body, "cell", "a cell's name, such as G7").upper())
            correction = commands.CorrectCell(cell, proper_contents(body.get("contents"), f"cell {cell}"))
            return (correction, commands.Done(confirmed=False)) if flag(body, "done") else (correction,)
        case _:
            return (_BARE[name],)


def command_of_line(line: str, board: Board, sections: Collection[LaidSection] = ()) -> commands.Command:
    """Return the command in a line of text, written as after `strada keep`; raises BadInputError saying what is wrong.

    >>> from companion.board import HexBoard
    >>> command_of_line('undo 2  # both of them', HexBoard(6))
    Undo(moves=2)
    """
    try:
        name, *words = shlex.split(line, comments=True) or [""]
    except ValueError:
        raise BadInputError(f"{line!r:.60} has a quotation mark that is not closed; close it") from None
    if name not in FIELDS:
        raise BadInputError(f"{name!r:.40} is not one of {', '.join(map(repr, FIELDS))}")
    is_json = "--json" in words
    plain_words = [word for word in words if word != "--json"]
    (command,) = commands_of(name, body_of(name, plain_words, is_json=is_json, sections=sections), board)
    return command


def correction_line(cell: str, contents: Contents, sections: Collection[LaidSection] = ()) -> str:
    """Return a line that `command_of_line` reads as these contents of the cell: in words, if words can say it."""
    words = contents_to_words(contents)
    try:
        is_understood = contents_from_words(words, sections) == contents
    except BadInputError:
        is_understood = False
    if is_understood and words.isascii() and words.isprintable() and not set(words) & set('"\\'):
        return f'correct {cell} "{words}"'
    return f"correct --json {cell} {shlex.quote(json.dumps(contents_to_json(contents)))}"


def proper_contents(value: Any, where: str) -> Contents:
    """Return the contents; raises BadInputError for anything unknown, and for more merchants than exist."""
    contents = contents_from_json(value, where)
    tile, merchants = value.get("tile"), contents.merchants
    known = (tile_to_json(contents.tile) or {}).keys()
    if unknown := sorted((value.keys() - {"tile", "merchants"}) | ((tile or {}).keys() - known)):
        raise BadInputError(f"{where}: {unknown[0]!r:.40} is not known; contents have a tile and merchants")
    for color, count in merchants.counts.items():
        if count > MOST_MERCHANTS:
            raise BadInputError(f"{where}: {count!r:.40} {color} merchants; there are no more than {MOST_MERCHANTS}")
    return contents


def _moves(words: Sequence[str]) -> dict[str, Any]:
    if not words:
        return {}
    if len(words) > 1 or not re.fullmatch("[1-9][0-9]{0,8}", words[0]):
        raise BadInputError(f"undo {' '.join(words)!r:.40}; its number of moves should be whole, from 1, or left out")
    return {"moves": int(words[0])}


def _correction(words: Sequence[str], is_json: bool, sections: Collection[LaidSection]) -> dict[str, Any]:
    cell, *contents = words or [""]
    if not contents:
        raise BadInputError(f"correct needs a cell and what lies there: G7 and {EXAMPLES}")
    text = " ".join(contents)
    if not is_json:
        return {"cell": cell, "contents": contents_to_json(contents_from_words(text, sections))}
    try:
        return {"cell": cell, "contents": json.loads(text)}
    except (ValueError, RecursionError):
        raise BadInputError(f"contents are {text!r:.60}, not valid JSON; without --json they are words") from None
