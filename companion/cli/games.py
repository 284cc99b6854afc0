"""`strada games`: what the logbook holds."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from companion.cli.options import data_option
from companion.logbook import data_folder
from companion.logbook.archive import Game, Seat, opened_archive
from companion.terminal import printable

#: How a game stands -> what is said of it.
OUTCOMES = {"playing": "being played", "over": "over", "early": "ended early", "left": "left"}


@click.command()
@data_option
@click.option("--json", "as_json", is_flag=True, help="A line of JSON a game instead of words.")
def command(data: Path | None, as_json: bool) -> None:
    """List the games of the logbook, oldest first: number, when, rules, players with their gold, how it stands."""
    with opened_archive(data_folder(data)) as archive:
        games = archive.games()
    if not games and not as_json:
        click.echo("The logbook holds no game yet.")
    for game in games:
        click.echo(json.dumps(asdict(game)) if as_json else in_words(game))


def in_words(game: Game) -> str:
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
