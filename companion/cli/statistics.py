"""`strada statistics`: who wins how often, by seat, by rules, by player."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from companion.cli.options import data_option
from companion.logbook import data_folder
from companion.logbook.archive import opened_archive
from companion.logbook.statistics import Record, Statistics, earned, statistics_of
from companion.terminal import printable

#: Whether a seat is ahead of chance -> what is said of it.
STANDINGS = {"ahead": "ahead", "behind": "behind", "open": "too few games to tell"}

#: The place of the drawn table: nobody played its games.
DRAWN = ""


@click.command()
@data_option
@click.option("--rules", help="Only games by these rules, such as standard or competitive.")
@click.option("--drawn", is_flag=True, help="Count the games of the drawn table, which plays by itself, as well.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON instead of words.")
def command(data: Path | None, rules: str | None, drawn: bool, as_json: bool) -> None:
    """Say who wins how often: each seat, so that you see whether who begins is really ahead, and each player.

    Games count that were played to their end; a full tie is shared. In brackets the 95 % interval of the share of
    wins (Wilson): a seat is ahead only where all of it lies above what chance alone would give.
    """
    with opened_archive(data_folder(data)) as archive:
        games = archive.games()
    found = statistics_of(game for game in games if (drawn or game.place != DRAWN) and rules in (None, game.rules))
    if as_json:
        click.echo(json.dumps(to_json(found)))
        return
    for line in in_words(found):
        click.echo(printable(line))


def in_words(found: Statistics) -> list[str]:
    """Return the statistics as lines."""
    lines = []
    for (rules, seats), records in found.seats.items():
        lines.append(f"{rules}, {seats} players: {_games(records[0].games)}; by chance {1 / seats:.0%} each")
        lines += [
            f"  seat {number}: {_record(one, earned(rules))}: {STANDINGS[one.standing]}"
            for number, one in enumerate(records, 1)
        ]
    kinds = {earned(rules) for rules, _ in found.seats}
    points = kinds.pop() if len(kinds) == 1 else "points"
    lines += [
        f"{name}: {_games(one.games)}, {_record(one, points)}, {one.best} at best"
        for name, one in found.players.items()
    ]
    lines += [
        f"{group.rules}, {', '.join(group.names)}: {_games(group.games)}, together {group.average:.1f} "
        f"{earned(group.rules)} on average, {group.best} at best"
        for group in found.together
    ]
    if not lines:
        lines.append("No game was played to its end yet.")
    if found.left_out:
        lines.append(f"Not counted: {_games(found.left_out)} ended early, left, or being played")
    return lines


def to_json(found: Statistics) -> dict[str, object]:
    """Return the statistics as plain JSON values."""
    return {
        "seats": [
            {"rules": rules, "players": seats, "records": [_plain(record) for record in records]}
            for (rules, seats), records in found.seats.items()
        ],
        "players": {name: _plain(record) for name, record in found.players.items()},
        "together": [asdict(group) for group in found.together],
        "left_out": found.left_out,
    }


def _plain(record: Record) -> dict[str, object]:
    low, high = record.interval
    return {**asdict(record), "share": record.share, "interval": [low, high], "standing": record.standing}


def _record(record: Record, points: str) -> str:
    low, high = record.interval
    return f"won {record.wins:g}, {record.share:.0%} ({low:.0%} to {high:.0%}), {record.gold:.1f} {points} on average"


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
