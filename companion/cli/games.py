"""`strada games`: the games of the logbook.

`strada forget`: deletes a game, or its pictures.

`strada statistics`: who wins how often, by seat, by rules, by player.

`strada export`: a game of the logbook as a game record, as a ZIP with its pictures, or as photographs of a table.

`strada backup`: the whole logbook as a file, or tonight's copy of its database, even while a companion runs; or a copy
of everything off the machine, to the place that the settings name.

`strada restore`: makes a file of `strada backup` the logbook again; the old logbook is put aside.
"""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from companion.board import BadInputError
from companion.cli.options import (
    PATH,
    data_option,
    folder_of,
    refuse_out,
    settings_in_force,
    settings_option,
    write_whole,
)
from companion.logbook import data_folder
from companion.logbook.archive import Archive, LoggedGame, Seat, opened_archive
from companion.logbook.away import Plan, copy_away, last_try
from companion.logbook.backup import KEPT, copy_tonight, packed
from companion.logbook.book import Book
from companion.logbook.opening import FILE, copies
from companion.logbook.restoring import Restored, become_owner_of, restore
from companion.logbook.statistics import Record, Statistics, earned, statistics_of
from companion.records.giving import files_of, name_of, record_of, write_zip
from companion.terminal import printable

#: The outcome of a game -> its words.
OUTCOMES = {"playing": "being played", "over": "over", "early": "ended early", "left": "left"}


@click.command("games")
@data_option
@click.option("--json", "as_json", is_flag=True, help="A line of JSON a game instead of words.")
def games_command(data: Path | None, as_json: bool) -> None:
    """List the games of the logbook, oldest first: number, when, rules, players with their gold, how it stands."""
    with opened_archive(data_folder(data)) as archive:
        games = archive.games()
    if not games and not as_json:
        click.echo("The logbook holds no game yet.")
    for game in games:
        click.echo(json.dumps(asdict(game)) if as_json else game_in_words(game))


def game_in_words(game: LoggedGame) -> str:
    """Return the game as one line."""
    began = f"{datetime.fromisoformat(game.began).astimezone():%Y-%m-%d %H:%M}" if game.began else "?"
    seats = ", ".join(_seat(seat) for seat in game.seats)
    pictures = f", {game.pictures} pictures" if game.pictures else ""
    line = f"{game.number:>4}  {began}  {game.rules}: {seats}; {OUTCOMES[game.outcome]}, {game.moves} moves{pictures}"
    return printable(line)


def _seat(seat: Seat) -> str:
    if seat.gold is None:
        return seat.name
    return f"{seat.name} {seat.gold}{'' if not seat.won else ' (won)' if seat.won == 1 else ' (shared)'}"


#: Whether a seat is ahead of chance -> its words.
STANDINGS = {"ahead": "ahead", "behind": "behind", "open": "too few games to tell"}

#: The place of the drawn table: its games were played by nobody.
DRAWN = ""


@click.command("statistics")
@data_option
@click.option("--rules", help="Only games by these rules, such as standard or competitive.")
@click.option("--drawn", is_flag=True, help="Count the games of the drawn table, which plays by itself, as well.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON instead of words.")
def statistics_command(data: Path | None, rules: str | None, drawn: bool, as_json: bool) -> None:
    """Say who wins how often: each seat, so that you see whether the first player is really ahead, and each player.

    Only games that were played to their end count; a full tie is shared. In brackets is the 95 % interval of the share
    of wins (Wilson): a seat is ahead only if all of it is above what chance alone would give.
    """
    with opened_archive(data_folder(data)) as archive:
        games = archive.games()
    statistics = statistics_of(game for game in games if (drawn or game.place != DRAWN) and rules in (None, game.rules))
    if as_json:
        click.echo(json.dumps(to_json(statistics)))
        return
    for line in statistics_in_words(statistics):
        click.echo(printable(line))


def statistics_in_words(statistics: Statistics) -> list[str]:
    """Return the statistics as lines."""
    lines = []
    for (rules, seats), records in statistics.seats.items():
        lines.append(f"{rules}, {seats} players: {_games(records[0].games)}; by chance {1 / seats:.0%} each")
        lines += [
            f"  seat {number}: {_record(one, earned(rules))}: {STANDINGS[one.standing]}"
            for number, one in enumerate(records, 1)
        ]
    kinds = {earned(rules) for rules, _ in statistics.seats}
    points = kinds.pop() if len(kinds) == 1 else "points"
    lines += [
        f"{name}: {_games(one.games)}, {_record(one, points)}, {one.best} at best"
        for name, one in statistics.players.items()
    ]
    lines += [
        f"{group.rules}, {', '.join(group.names)}: {_games(group.games)}, together {group.average:.1f} "
        f"{earned(group.rules)} on average, {group.best} at best"
        for group in statistics.together
    ]
    if not lines:
        lines.append("No game has been finished yet.")
    if statistics.left_out:
        lines.append(f"Not counted: {_games(statistics.left_out)} ended early, left, or being played")
    return lines


def to_json(statistics: Statistics) -> dict[str, object]:
    """Return the statistics as plain JSON values."""
    return {
        "seats": [
            {"rules": rules, "players": seats, "records": [_plain(record) for record in records]}
            for (rules, seats), records in statistics.seats.items()
        ],
        "players": {name: _plain(record) for name, record in statistics.players.items()},
        "together": [asdict(group) for group in statistics.together],
        "left_out": statistics.left_out,
    }


def _plain(record: Record) -> dict[str, object]:
    low, high = record.interval
    return {**asdict(record), "share": record.share, "interval": [low, high], "standing": record.standing}


def _record(record: Record, points: str) -> str:
    low, high = record.interval
    return f"won {record.wins:g}, {record.share:.0%} ({low:.0%} to {high:.0%}), {record.gold:.1f} {points} on average"


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


@click.command("forget")
@click.argument("game")
@data_option
@click.option("--pictures", "pictures_only", is_flag=True, help="Delete its pictures alone.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget_command(game: str, data: Path | None, pictures_only: bool, yes: bool) -> None:
    """Delete GAME, its number in `strada games`, with its pictures.

    The newest game stays, because the table goes on with it. Backups, nightly copies and what was put aside after
    damage still hold a deleted game. While a companion runs there, delete a game on its page.
    """
    folder = data_folder(data)
    become_owner_of(folder)
    with opened_archive(folder) as archive:
        played = archive.game(game)
    if not yes:
        click.echo(game_in_words(played))
        click.confirm("Delete its pictures?" if pictures_only else "Delete this game?", abort=True)
    book = Book(folder)
    try:
        book.resume()
        book.forget(played.number, pictures_only=pictures_only)
    except (sqlite3.Error, OSError) as error:
        raise BadInputError(f"game {played.number} is not wholly deleted ({error}); mend that and try again") from None
    finally:
        book.release()
    click.echo(f"Deleted: {'the pictures of game' if pictures_only else 'game'} {played.number}.")


@click.command("export")
@click.argument("game")
@data_option
@click.option("-o", "--out", metavar="FILE", type=PATH, help="Write to FILE, not to the terminal.")
@click.option(
    "--zip", "as_zip", is_flag=True, help="A ZIP with record, events and pictures; strada-game-N.zip without -o."
)
@click.option(
    "--table",
    "folder",
    metavar="FOLDER",
    type=PATH,
    help="Write the pictures, what was read in them and what people put right into FOLDER/games/game-N.",
)
@click.option("--force", is_flag=True, help="Write over what is there already.")
def export_command(
    game: str, data: Path | None, out: Path | None, as_zip: bool, folder: Path | None, force: bool
) -> None:
    """Give out GAME, its number in `strada games`, or `last`: as a game record unless other options say otherwise.

    With --table the game becomes photographs of a table, as a table's folder holds them: they can be read and refereed
    again, and sent to those who teach Strada to see.
    """
    if folder is not None and (as_zip or out is not None):
        raise BadInputError("--table writes into a folder of its own; give it without --zip and --out")
    with opened_archive(data_folder(data)) as archive:
        played = archive.game(game)
        if folder is not None:
            count = write_table(archive, played, folder, force)
            click.echo(f"{count} photographs in {folder / 'games' / name_of(played)}")
            if not (folder / "table.json").exists():
                click.echo(f"{folder} lacks table.json and setup/: copy them from the table's folder", err=True)
        elif as_zip:
            target = out or Path(f"strada-{name_of(played)}.zip")
            refuse_out(target, force)
            packed = io.BytesIO()
            write_zip(archive, played, packed)
            write_whole(target, packed.getvalue())
            click.echo(str(target))
        elif out is not None:
            refuse_out(out, force)
            write_whole(out, record_of(archive, played))
        else:
            click.echo(record_of(archive, played).encode(), nl=False)  # a record is UTF-8, whatever the terminal is


def write_table(archive: Archive, game: LoggedGame, folder: Path, force: bool) -> int:
    """Write the photographs of a game into a table's folder; return how many there are."""
    target = folder / "games" / name_of(game)
    if target.exists() and not force:
        raise BadInputError(f"{target} is there already; name another folder, or write over it with --force")
    files = dict(files_of(archive, game))
    if not files:
        raise BadInputError(f"game {game.number} has no pictures (any more); without --table its record is given out")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{target} cannot be made ({error.strerror}); name another folder") from None
    for name, content in files.items():
        write_whole(target / name, content)
    place = Path(game.place)
    if not (folder / "table.json").exists() and place.is_absolute() and (place / "table.json").is_file():
        _copy_setup(place, folder)
    return sum(name.endswith(".jpg") for name in files)


def _copy_setup(place: Path, folder: Path) -> None:
    """Copy what the table's folder says about the camera and the pieces: without it nothing can be read."""
    try:
        for path in (place / "table.json", *(place / "setup").glob("*.j*")):
            target = folder / path.relative_to(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    except OSError as error:
        raise BadInputError(
            f"{place} cannot be copied ({error.strerror}); copy table.json and setup/ by hand"
        ) from None


@click.command("backup")
@click.argument("file", type=PATH, required=False)
@data_option
@click.option("--force", is_flag=True, help="Write over what is there already.")
@click.option("--nightly", is_flag=True, help="Copy the database, without pictures, to `nightly` beside it.")
@click.option("--keep", type=click.IntRange(1, 1000), help=f"How many such copies to keep ({KEPT}).")
@click.option("--away", is_flag=True, help="Copy everything off this machine, where the settings' [backup] says.")
@settings_option
def backup_command(
    *, file: Path | None, data: Path | None, force: bool, nightly: bool, keep: int | None, away: bool, path: Path | None
) -> None:
    """Write all games with their pictures, and the tables, into FILE, a ZIP; a running companion plays on meanwhile.

    With --nightly, for a timer: copy only the database, if something has changed since the last copy; the oldest of
    more than seven copies are deleted. With --away, for a timer, too: copy everything to the folder, USB stick or
    remote that the settings name, if they name one. `strada restore` can bring back any of them.
    """
    if away:
        if file is not None or force or nightly or keep is not None:
            raise BadInputError("--away does what [backup] in the settings says; leave FILE and the other options out")
        _copy_away(path, data)
        return
    if path is not None:
        raise BadInputError("--settings says where copies off this machine go; add --away")
    if nightly:
        if file is not None or force:
            raise BadInputError("--nightly names its copies itself; leave FILE and --force out")
        folder = data_folder(data)
        made = copy_tonight(folder, keep or KEPT)
        click.echo(f"Nothing has changed since {copies(folder)[-1]}." if made is None else str(made))
        return
    if keep is not None:
        raise BadInputError("--keep is how many nightly copies are kept; add --nightly")
    if file is None:
        raise BadInputError("FILE is missing; name the file to write, such as strada.zip")
    if file.is_dir():
        raise BadInputError(f"{file} is a folder; name the file to write, such as {file / 'strada.zip'}")
    refuse_out(file, force)
    with packed(data_folder(data)) as chunks:
        write_whole(file, chunks)
    click.echo(str(file))


def _copy_away(path: Path | None, data: Path | None) -> None:
    settings = settings_in_force(path)
    to, folder = settings.backup.to, folder_of(settings, data)
    if not to:
        click.echo("The settings name no place for copies off this machine ([backup], to).")
    elif folder is None or not (folder / FILE).is_file():
        click.echo("There is nothing to copy yet.")
    else:
        name = copy_away(folder, Plan(to, settings.backup.keep, settings.backup.key, settings.backup.pictures))
        click.echo(f"Nothing has changed since {last_try(folder, to).name}." if name is None else name)


@click.command("restore")
@click.argument("file", type=PATH)
@data_option
@click.option("--identity", type=PATH, help="The file of the secret key, for a FILE that was encrypted with age.")
def restore_command(file: Path, data: Path | None, identity: Path | None) -> None:
    """Make FILE, a backup or a nightly copy, the logbook; end the companion first.

    The file is checked first: a damaged one changes nothing. What was there before is put aside in a folder named after
    the date, never deleted. A nightly copy holds no pictures and no tables: the existing ones stay.
    """
    folder = data_folder(data)
    click.echo(in_words(folder, restore(folder, file, identity)))


def in_words(folder: Path, restored: Restored) -> str:
    """Return what was brought back, and where the old logbook is now."""
    pictures = f" with {_counted(restored.pictures, 'picture')}" if restored.has_pictures else ""
    tables = f" and {_counted(restored.tables, 'table')}" if restored.tables else ""
    aside = f"; what was there before lies in {restored.aside}" if restored.aside else ""
    return f"{folder} now holds {_counted(restored.games, 'game')}{pictures}{tables}{aside}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
