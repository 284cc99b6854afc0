"""Keeping a photographed evening while it is watched: commands between photographs, and the table's questions."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from companion.board import BARE, BadInputError, Cell, Contents, LaidSection, difference
from companion.board.notation import contents_from_json
from companion.cli.options import one_line
from companion.commands import StartGame
from companion.evening import Line, decide
from companion.events import CommandRefused, TurnBegan
from companion.games.contract import Position
from companion.keeping import command_of_line, correction_line
from companion.scoreboard import Choice, Interpreter, Scene, Words
from companion.session import Session
from companion.terminal import printable
from companion.verdicts import Confirmable, confirm
from companion.words import Voice

#: No command is longer than this, in bytes.
MOST_BYTES = 4096


class Answers:
    """Lines from a file or from standard input; nothing else reads there. Belongs to one thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.is_typed = stream.isatty()
        self._is_over = False

    def is_over(self) -> bool:
        """Whether the end was reached."""
        return self._is_over

    def next(self) -> str:
        """Return the next line, stripped; "" for an empty one, and always after the end.

        Raises BadInputError if it is too long to be a command; nothing is read after that.
        """
        try:
            line = self._stream.readline(MOST_BYTES + 1)
        except OSError:  # a terminal that hung up
            line = b""
        if not line:  # once a terminal's input ends, it has ended for good
            self._stream, self._is_over = io.BytesIO(), True
        if len(line) > MOST_BYTES:
            self._stream = io.BytesIO()
            raise BadInputError(
                f"{line.decode(errors='replace')!r:.40} goes on for more than {MOST_BYTES} bytes: that is no command;"
                " no more answers are read"
            )
        return line.decode(errors="replace").strip()


@contextmanager
def answers_from(source: str) -> Iterator[Answers]:
    """Open a file of commands, or standard input for "-"; raises BadInputError if it cannot be read."""
    if source == "-":
        yield Answers(io.BytesIO() if sys.stdin is None else sys.stdin.buffer)
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(Path(source).open("rb"))
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise BadInputError(
                f"--answers {source} cannot be read ({why}); it should be a file of commands, or - for standard input"
            ) from None
        yield Answers(stream)


class Keeping:
    """Prints what the referee says of each photograph, and obeys the answers. Belongs to one thread."""

    def __init__(
        self,
        session: Session,
        reader: Confirmable,
        game: StartGame,
        voice: Voice,
        answers: Answers,
        *,
        as_json: bool,
    ) -> None:
        self._session, self._reader, self._game = session, reader, game
        self._voice, self._answers = voice, answers
        self._interpreter = Interpreter(voice.language)
        self._as_json = as_json
        self._prompt = "> " if answers.is_typed and sys.stdout.isatty() and not as_json else ""

    def after(self, line: Line) -> Line:
        """Print the photograph's line, obey commands up to an empty one, and return the latest line."""
        self._tell(line, None)
        judged = latest = line
        while True:
            typed = ""
            try:
                if not (typed := self._typed()):
                    return latest
                if typed.startswith("#"):
                    continue
                latest = self._obeyed(typed, judged)
            except BadInputError as error:
                self._complain(line, typed, error)
                continue
            if latest.word.kind != "none":
                judged = latest
            self._tell(latest, typed)

    def _typed(self) -> str:
        if not self._prompt or self._answers.is_over():
            return self._answers.next()
        click.echo(self._prompt, nl=False)
        typed = self._answers.next()
        if self._answers.is_over():  # the next output must not follow the prompt on its line
            click.echo()
        return typed

    def _obeyed(self, typed: str, judged: Line) -> Line:
        reading = self._session.reading
        assert reading is not None, "a photograph was judged before it was seen"
        command = command_of_line(typed, reading.board, sections_of(self._session.position))
        line = decide(self._session, self._game, judged, command)
        confirm(self._reader, line.events)
        return line

    def _complain(self, line: Line, typed: str, error: BadInputError) -> None:
        complaint = one_line(str(error))
        if self._as_json:
            click.echo(json.dumps({"photo": line.photo.name, "command": typed, "error": complaint}))
        else:
            click.echo(f"strada: {complaint}", err=True)

    def _tell(self, line: Line, typed: str | None) -> None:
        """Print the line of a photograph, or of a command typed after it, and then the table's questions."""
        lines, choices = sentences_of(line, self._voice), self._asked(line)
        if self._as_json:
            refused = [event.code for event in line.events if isinstance(event, CommandRefused)]
            answered = {"command": typed, "refused": refused[0] if refused else None, "said": lines, "choices": choices}
            click.echo(json.dumps({**line.to_json(), **answered}))
            return
        margin = " " * len(line.photo.name)
        click.echo(f"{margin if typed else line.photo.name}  {' '.join(lines) or '-'}")
        for choice in choices:
            click.echo(f"{margin}  {choice['command']}  # {choice['says']}")

    def _asked(self, line: Line) -> list[dict[str, Any]]:
        """Return what can be answered with one command, in the order in which the scoreboard offers it."""
        session = self._session
        scene = Scene(self._game, session.position, session.reading, _laid(session), session.offer)
        sections = sections_of(session.position)
        return [_answer(choice, sections) for choice in self._interpreter.after(Words(), line.events, scene).choices]


def sentences_of(line: Line, voice: Voice) -> list[str]:
    """Return the sentences on a photograph or a command, each with its punctuation mark."""
    sentences = [
        sentence for event in line.events if not isinstance(event, TurnBegan) for sentence in voice.sentences(event)
    ]
    # A question already has its mark.
    return [sentence if sentence.endswith("?") else f"{sentence}." for sentence in sentences]


def sections_of(position: Position | None) -> tuple[LaidSection, ...]:
    """Return the road sections of a game, laid or not; none before it, and none in a game without sections."""
    if position is None:
        return ()
    laid = [contents.tile for contents in position.expected().values()]
    hands = [tile for player in position.players for tile in position.hand(player.color)]
    return tuple(tile for tile in (*laid, *hands) if isinstance(tile, LaidSection))


def _laid(session: Session) -> Mapping[Cell, Contents]:
    """Return what differs from the books; before a game, everything on the table."""
    reading, position = session.reading, session.position
    if reading is None or (position is not None and position.over):
        return {}
    if position is None:
        return {cell: read.contents for cell, read in reading.cells.items() if read.contents != BARE}
    return {cell: change.now for cell, change in difference(reading, position.expected()).cells.items()}


def _answer(choice: Choice, sections: tuple[LaidSection, ...]) -> dict[str, Any]:
    """Return the line to type, the cell that it is about, and what it says in words."""
    says = printable(" · ".join(filter(None, (choice.label, choice.detail))))
    if choice.command != "correct":
        return {"command": choice.command, "cell": None, "says": says}
    cell = str(choice.body["cell"])
    contents = contents_from_json(choice.body["contents"], f"cell {cell}")
    return {"command": correction_line(cell, contents, sections), "cell": cell, "says": says}
