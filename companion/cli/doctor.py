"""`strada doctor`: looks at the machine under the companion, and says what to do.

`strada news` asks whether a newer version is out, if the settings say whom; for a timer.
"""

from __future__ import annotations

import json
import os
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from companion.board import BadInputError
from companion.cli import options
from companion.doctor import Check, Finding, Grade, Surroundings, checks, examine
from companion.doctor.books import settings_of
from companion.doctor.devices import TableTest
from companion.network import PLACE, published
from companion.settings import Settings
from companion.system.news import ask, is_newer, noted, own_version
from companion.terminal import printable
from companion.words.doctor import DoctorVoice
from companion.words.machine import CHECKS, GRADES

#: The widest lines, however wide the terminal is: longer ones are hard to read.
MOST_COLUMNS, LEAST_COLUMNS = 100, 60

#: The colour of each grade on a terminal; the word is there as well.
COLOURS = {Grade.OK: "green", Grade.NOTE: "yellow", Grade.TODO: "red", Grade.UNKNOWN: "cyan"}


@click.command()
@options.settings_option
@options.data_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of sentences.")
@options.language_option
@click.pass_context
def command(context: click.Context, path: Path | None, data: Path | None, as_json: bool, language: str) -> None:
    """Look at camera, pins, disk, clock, power, network and all else that the companion needs, and say what to do.

    Nothing is changed, and a running companion is not disturbed. Exit status 0: nothing needs doing; 1: something does.
    """
    of = surroundings(path, data)
    voice = DoctorVoice(language=language)
    findings = examine(checks(of))
    to_do = _as_json(findings, voice) if as_json else _as_text(findings, voice)
    context.exit(1 if to_do else 0)


def surroundings(path: Path | None, data: Path | None) -> Surroundings:
    """Return what is looked at: this machine, with those settings, or the service's, and that logbook's folder."""
    path = options.own_settings(path)
    settings, read = settings_of(path, options.LAST_GOOD if path == options.SETTINGS else None)
    return Surroundings(
        settings,
        path,
        read,
        options.folder_of(settings, data),
        eye=lambda stack: _opened_eye(stack, settings),
        pins=lambda: _has_pins(settings),
        addresses=_own_addresses,
        table=lambda: _table_test(settings, data),
        own_wifi="" if (point := published()) is None else point.name,
        hidden=PLACE.parent if PLACE.parent.is_dir() and not os.access(PLACE.parent, os.X_OK) else None,
    )


def _opened_eye(stack: ExitStack, settings: Settings) -> Any:
    from companion.wiring.cameras import opened_camera  # noqa: PLC0415 (OpenCV may be what is broken)

    return opened_camera(stack, settings, None)[0]


def _table_test(settings: Settings, data: Path | None) -> TableTest | None:
    from companion.wiring.cameras import table_test  # noqa: PLC0415 (OpenCV may be what is broken)

    return table_test(settings, options.folder_of(settings, data))


def _own_addresses() -> tuple[str, ...]:
    from companion.wiring.machine import own_addresses  # noqa: PLC0415 (all of the companion comes with it)

    return own_addresses()


def _has_pins(settings: Settings) -> bool:
    from companion.wiring.pins import opened_factory  # noqa: PLC0415 (gpiozero may be what is missing)

    factory, is_real = opened_factory(settings.panel)
    factory.close()
    return is_real


def _as_text(findings: Iterator[tuple[Check, Finding]], voice: DoctorVoice) -> int:
    """Print each finding as soon as there is one; return how many things are to be done."""
    options.question_marks()
    columns = max(LEAST_COLUMNS, min(MOST_COLUMNS, shutil.get_terminal_size((80, 24)).columns))
    grades = max(len(voice.grade(grade)) for grade in GRADES)
    names = max(len(voice.check(name)) for name in CHECKS)
    margin = " " * (grades + names + 4)
    to_do = 0
    for check, finding in findings:
        to_do += finding.grade is Grade.TODO
        word = click.style(voice.grade(finding.grade).ljust(grades), fg=COLOURS[finding.grade])
        sentence, advice = sentences(finding, voice)
        # A command or a path is never broken across lines.
        wrap = textwrap.TextWrapper(columns - len(margin), break_long_words=False, break_on_hyphens=False)
        lines = wrap.wrap(sentence)
        wrap.initial_indent, wrap.subsequent_indent = "> ", "  "
        lines += wrap.wrap(advice)
        click.echo(f"{word}  {voice.check(check.name):<{names}}  {lines[0]}")
        for line in lines[1:]:
            click.echo(margin + line)
    click.echo(f"\n{voice.sum(to_do)}")
    return to_do


def _as_json(findings: Iterator[tuple[Check, Finding]], voice: DoctorVoice) -> int:
    shown = []
    for check, finding in findings:
        sentence, advice = sentences(finding, voice)
        about = {"check": check.name, "grade": finding.grade.value, "code": finding.code, "facts": dict(finding.facts)}
        shown.append({**about, "found": sentence, "advice": advice})
    to_do = sum(each["grade"] == Grade.TODO for each in shown)
    click.echo(json.dumps({"to_do": to_do, "checks": shown}, ensure_ascii=False))
    return to_do


def sentences(finding: Finding, voice: DoctorVoice) -> tuple[str, str]:
    """Return the state of things and what to do, each on one line; the latter may be empty."""
    sentence, advice = voice.found(finding.code, finding.facts), voice.advice(finding.code, finding.facts)
    return printable(sentence), printable(advice)


@click.command("news")
@options.settings_option
@options.data_option
def news_command(path: Path | None, data: Path | None) -> None:
    """Ask whether a newer version of Strada is out: at most once a day, only if [updates] says whom to ask.

    Nothing is downloaded or installed. The page Keeper and `strada doctor` show the answer.
    """
    settings = options.settings_in_force(path)
    feed, folder = settings.updates.feed, options.folder_of(settings, data)
    if not feed:
        click.echo("Nobody is asked: the settings name no feed ([updates], feed).")
        return
    if folder is None:
        raise BadInputError("a drawn table keeps nothing, so the answer cannot be noted; name a folder with --data")
    try:
        news = ask(folder, feed, datetime.now(UTC)) or noted(folder, feed)
    except OSError as error:
        raise BadInputError(
            f"{folder} cannot be written ({error.strerror or error}); name another with --data"
        ) from None
    if news.why:
        raise BadInputError(f"the feed cannot be asked: {printable(news.why)}")
    own = own_version()
    is_out = is_newer(news.newest, own)
    click.echo(f"Version {news.newest} is out; you have {own}." if is_out else f"You have the newest version, {own}.")
