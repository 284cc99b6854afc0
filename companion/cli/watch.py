"""`strada watch`: a photographed evening, refereed from its pictures."""

from __future__ import annotations

import json
import sys
from io import TextIOWrapper
from pathlib import Path

import click

from calibration.table import TableFolder, load_photo
from companion.board import BadInputError
from companion.cli.options import language_option
from companion.evening import Line, load_evening, referee
from companion.events import TurnBegan
from companion.session import Session
from companion.wording import Voice
from vision.readers import reader_of


@click.command()
@click.argument("evening", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="A line of JSON a photograph instead of sentences.")
@language_option
def command(evening: Path, as_json: bool, language: str) -> None:
    """Referee the evening in the folder EVENING, TABLE/games/evening."""
    folder = evening.resolve()
    table = table_of(folder)
    played = load_evening(folder)
    size_px = table.setup.size_px
    for photo in played.photos:  # a picture that cannot be read is known before the first line is printed
        load_photo(folder / photo.name, size_px)
    reader = reader_of(table)
    lines = referee(played, lambda path: load_photo(path, size_px), reader, Session())
    voice = Voice(played.game.players, language, played.game.rules)
    if isinstance(sys.stdout, TextIOWrapper):  # a name or an accent that the terminal cannot show becomes "?"
        sys.stdout.reconfigure(errors="replace")
    last = None
    for last in lines:
        click.echo(json.dumps(last.to_json()) if as_json else in_sentences(last, voice))
    if last is not None and not as_json:
        for sentence in score(last, voice):
            click.echo(sentence)


def table_of(evening: Path) -> TableFolder:
    """Return the table that an evening's folder belongs to; raises BadInputError where there is none above it."""
    if not evening.is_dir():
        raise BadInputError(f"{evening} is no folder; name a table's TABLE/games/evening")
    above = next((folder for folder in evening.parents[:2] if (folder / "table.json").is_file()), None)
    if above is None:
        raise BadInputError(
            f"no table.json above {evening}; an evening lies in its table's folder, TABLE/games/evening"
        )
    return TableFolder.open(above)


def in_sentences(line: Line, voice: Voice) -> str:
    """Return what is said of a photograph as one line of sentences."""
    said = [
        sentence for event in line.events if not isinstance(event, TurnBegan) for sentence in voice.sentences(event)
    ]
    # A question has its mark already.
    ended = [sentence if sentence.endswith("?") else f"{sentence}." for sentence in said]
    return f"{line.photo.name}  {' '.join(ended) or '-'}"


def score(line: Line, voice: Voice) -> tuple[str, ...]:
    """Return the score with its breakdown, as far as the game has come."""
    return () if line.position is None else voice.counted(line.position)
