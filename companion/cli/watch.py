"""`strada watch`: a photographed evening, refereed from its pictures."""

from __future__ import annotations

import json
from pathlib import Path

import click

from calibration.table import TableFolder, load_photo
from companion.board import BadInputError
from companion.cli.answering import Keeping, answers_from, sentences_of
from companion.cli.options import PATH, language_option, question_marks
from companion.evening import load_evening, referee
from companion.session import Session
from companion.words import Voice
from vision.reader import reader_of


@click.command()
@click.argument("evening", type=PATH)
@click.option("--json", "as_json", is_flag=True, help="A line of JSON a photograph instead of sentences.")
@click.option(
    "--answers",
    metavar="FILE",
    help="After each photograph obey commands from FILE, or - for standard input: a line each, an empty line goes on.",
)
@language_option
@click.pass_context
def command(context: click.Context, evening: Path, as_json: bool, answers: str | None, language: str) -> None:
    """Referee the evening in the folder EVENING, TABLE/games/evening.

    With --answers the evening is kept meanwhile. After each photograph commands are read and obeyed, written as after
    `strada keep`, until an empty line, which goes on to the next photograph, or the end of input, after which all the
    others follow.

    \b
    correct D3 "village grey"   say what lies on a cell; a verdict that hung on it is given anew
    yes                         to what was asked or offered last
    accept                      let what was refused stand as it lies
    undo [N]                    take back the latest move, or the latest N
    done, pause, resume, end    as at the table

    What the table asks is printed as commands that can be typed as they stand, likeliest first; what follows a # is a
    remark. A command that is wrong changes nothing: it is complained of, and the next line is read.

    With --json as well exactly one line is printed for each photograph and for each command, and then one is read: the
    program that keeps the evening reads a line, writes a line. Each tells the photograph, the "command" (null for the
    photograph itself), what was "said", what was "refused", and "choices", each with the "command" to write; one that
    was wrong has an "error" instead.
    """
    folder = evening.resolve()
    table = table_of(folder)
    played = load_evening(folder)
    answered = None if answers is None else context.with_resource(answers_from(answers))
    size_px = table.setup.size_px
    for photo in played.photos:  # an unreadable picture is noticed before the first line is printed
        load_photo(folder / photo.name, size_px)
    reader, session = reader_of(table), Session()
    lines = referee(played, lambda path: load_photo(path, size_px), reader, session)
    voice = Voice(played.game.players, language, played.game.rules)
    question_marks()
    keeping = None if answered is None else Keeping(session, reader, played.game, voice, answered, as_json=as_json)
    last = None
    for line in lines:
        if keeping is None:
            last = line
            said = f"{line.photo.name}  {' '.join(sentences_of(line, voice)) or '-'}"
            click.echo(json.dumps(line.to_json()) if as_json else said)
        else:
            last = keeping.after(line)
    if last is not None and last.position is not None and not as_json:
        for sentence in voice.counted(last.position):
            click.echo(sentence)


def table_of(evening: Path) -> TableFolder:
    """Return the table that an evening's folder belongs to; raises BadInputError if there is none above it."""
    if not evening.is_dir():
        raise BadInputError(f"{evening} is no folder; name a table's TABLE/games/evening")
    above = next((folder for folder in evening.parents[:2] if (folder / "table.json").is_file()), None)
    if above is None:
        raise BadInputError(
            f"no table.json above {evening}; an evening lies in its table's folder, TABLE/games/evening"
        )
    return TableFolder.open(above)
