"""`strada replay`: a game record, move by move: in the terminal, as lines of text, or as drawings.

`strada referee`: the referee's verdicts on game records.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from companion.board import BadInputError, in_board_order
from companion.cli.options import PATH, data_option, in_record, language_option, question_marks, write_whole
from companion.logbook import data_folder
from companion.logbook.archive import opened_archive
from companion.records.form import AnyRecord
from companion.records.giving import record_of
from companion.records.page import draw_page
from companion.records.picture import MADE_BY, draw_pictures
from companion.records.record import RecordStep, read_record, referee, steps_of
from companion.terminal import Ink, Key, Screen, printable
from companion.words import Voice

#: How often the terminal's size is checked: it may have changed.
LOOK_S = 0.25

#: How many steps Page Up and Page Down go.
PAGE = 10


@click.command("referee")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def referee_command(files: tuple[str, ...]) -> None:
    """Judge game records of La Strada or Silk Road: one line of JSON for each FILE.

    A record that cannot be read ends the run with exit status 2; the lines of the files before it stand.
    """
    for name in files:
        click.echo(json.dumps(in_record(name, referee), ensure_ascii=False, separators=(",", ":")))


@click.command()
@click.argument("record")
@data_option
@click.option("--text", "as_text", is_flag=True, help="A line for each move, and the score: as where no terminal is.")
@click.option("--svg", "folder", metavar="DIR", type=PATH, help="Draw each step into DIR.")
@language_option
def command(record: str, data: Path | None, as_text: bool, folder: Path | None, language: str) -> None:
    """Step through RECORD: each move as it was tried, with the verdict on it.

    RECORD is a file with a game record, a game's number in `strada games`, or `last`.

    The arrow keys step (as do h, l and the space bar), Page Up and Page Down go ten steps, Home and End to either end;
    q, Esc or Ctrl-C leave. Beside the board are the move and the round, and each player's gold, days, merchants and
    tiles left.
    """
    played = _played(record, data)
    steps = steps_of(played)
    voice = Voice(played.start.players, language, played.rule_set.name)
    question_marks()
    if folder is not None:
        draw_all(steps, voice, folder)
        click.echo(f"{len(steps)} drawings in {folder}")
    if as_text or (folder is None and not _has_terminal()):
        for line in in_words(steps, voice):
            click.echo(line)
    elif folder is None:
        with Screen(sys.stdin, sys.stdout) as screen:
            step_through(screen, steps, voice)


def _played(name: str, data: Path | None) -> AnyRecord:
    """Return the game in that file or, if there is no such file, that game of the logbook; raises BadInputError."""
    if Path(name).exists() or not (name == "last" or name.isdecimal()):
        return in_record(name, read_record)
    with opened_archive(data_folder(data)) as archive:
        return read_record(record_of(archive, archive.game(name)))


def step_through(screen: Screen, steps: Sequence[RecordStep], voice: Voice) -> None:
    """Show step after step, as the keys ask, until they ask to leave."""
    ink, at, shown = Ink.of(os.environ), 0, None
    while True:
        columns, lines = screen.size
        if shown != (at, columns, lines):
            screen.show(draw_page(steps, at, voice, columns, lines).text(ink))
            shown = at, columns, lines
        key = screen.key(LOOK_S)
        if key is Key.QUIT:
            return
        asked = {
            Key.ON: at + 1,
            Key.BACK: at - 1,
            Key.PAGE_ON: at + PAGE,
            Key.PAGE_BACK: at - PAGE,
            Key.FIRST: 0,
            Key.LAST: len(steps) - 1,
        }
        at = min(max(0, asked.get(key, at) if key else at), len(steps) - 1)


def in_words(steps: Sequence[RecordStep], voice: Voice) -> list[str]:
    """Return a line for each step, with the cells of its move, and the score after it."""
    lines = []
    for step in steps:
        sentences = [sentence for event in step.events for sentence in voice.sentences(event)]
        cells = in_board_order(step.change.cells)
        where = f"  [{' '.join(map(str, cells))}]" if cells else ""
        lines.append(f"{step.number:>3}  {' '.join(f'{sentence}.' for sentence in sentences)}{where}")
    return [printable(line) for line in (*lines, *voice.counted(steps[-1].after))]


def draw_all(steps: Sequence[RecordStep], voice: Voice, folder: Path) -> None:
    """Draw each step into a file of the folder; raises BadInputError if another file would be replaced."""
    pictures = {
        folder / picture_name(step, len(steps)): svg
        for step, svg in zip(steps, draw_pictures(steps, voice), strict=True)
    }
    for path in pictures:
        if path.exists() and not _is_drawing(path):
            raise BadInputError(f"{path} is there already, and no drawing of a replay; name another folder for --svg")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"--svg {folder} cannot be made ({error.strerror}); name another folder") from None
    for path, svg in pictures.items():
        write_whole(path, svg)


def picture_name(step: RecordStep, count: int) -> str:
    """Return the name of a step's drawing, such as 007-red-turn.svg; names sort in the order of the steps."""
    what = re.sub(r"[^A-Za-z0-9-]", "_", step.move) or "start"  # colours of Silk Road are free words
    return f"{step.number:0{max(3, len(str(count - 1)))}}-{what}.svg"


def _is_drawing(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return MADE_BY in file.read(400)
    except OSError:
        return False


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
