"""`strada diagnose`: all that a bug report needs in one ZIP, without names, addresses or pictures."""

from __future__ import annotations

import getpass
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from companion.board import BadInputError
from companion.cli.doctor import surroundings
from companion.cli.options import PATH, data_option, refuse_out, settings_option, write_whole
from companion.doctor import Check, Finding, Machine, checks, examine
from companion.doctor.books import holder
from companion.doctor.report import OUT, Scrubber, figures, settings_told, versions
from companion.games.contract import is_named
from companion.logbook.backup import pictures
from companion.logbook.opening import FILE, TABLES, opened_to_read
from companion.logbook.people import people_in
from companion.network import PLACE, published
from companion.settings import Settings
from companion.system.news import fetched

#: The most lines and bytes of the journal, and the units it is about: the Wi-Fi's keeper is not among them.
LINES, MOST_BYTES, UNITS = 2000, 512 * 1024, ("strada", "strada-backup", "strada-outside")

#: How many of the newest pictures are read once more to see how long that takes, and how many are packed if asked for.
READ, PACKED = 5, 12

#: The service's folder, which is the same for everybody.
SERVICE = "/var/lib/strada"

#: How long a running companion may take to give its figures.
ANSWER_S = 5.0

#: The doctor's facts that are passed on if they are texts, and the findings whose texts never are.
TOLD = frozenset(
    {"why", "made", "at", "now", "newest", "own", "machine", "result", "tiles", "pairs", "pieces", "width", "height"}
    | {"version", "port", "least", "program", "device", "point", "group", "kind"}
)
UNTOLD = ("settings-bad", "settings-last-good", "away-failed", "news-failed", "port-taken-by")

#: What stands in for the journal if names could still be in it.
UNKNOWN = "The journal is left out: the logbook cannot be read, so nobody knows whose names to take out of it.\n"

README = """What `strada diagnose` packed, for a bug report.

versions.json   which program, on which system and machine
settings.json   numbers, switches and words of a list; of all else only whether it is set
doctor.json     what `strada doctor` found
figures.json    what is counted in the logbook: games, verdicts, reasons, cells that were not spoken for; reading times
metrics.txt     what a running companion counts, if one runs here
journal.txt     the end of the service's journal, if this user may read it

Names of players, keepers, tables, machines and networks, addresses, PINs and folders were taken out: {out} stands in
their place. Look through it all the same before you send it.
"""


@click.command()
@click.argument("file", type=PATH, required=False)
@settings_option
@data_option
@click.option("--pictures", "has_pictures", is_flag=True, help=f"Add the newest {PACKED} pictures; see who is in them.")
@click.option("--force", is_flag=True, help="Write over what is there already.")
def command(file: Path | None, path: Path | None, data: Path | None, has_pictures: bool, force: bool) -> None:
    """Pack what a bug report needs into FILE, a ZIP, and say what is in it: look before you send it.

    It holds versions, settings, what `strada doctor` finds, the service's journal and figures, but no names, addresses,
    PINs, Wi-Fi names or pictures. Nothing is sent to anybody.
    """
    out = file or Path(f"strada-diagnose-{datetime.now(UTC):%Y-%m-%d}.zip")
    refuse_out(out, force)
    of = surroundings(path, data)
    machine, folder = of.machine, of.folder
    names, are_all_known = known_names(of.settings, folder, machine)
    scrubber = Scrubber(names)
    figured = {} if folder is None else figures(folder)
    figured["reading_ms"] = _reading_ms(of.settings, folder, machine)
    told = versions(machine)
    members = {
        "README.txt": README.format(out=OUT),
        "versions.json": _json({**scrubber.value(told), "packages": told["packages"]}),
        "settings.json": _json(settings_told(of.settings)),
        "doctor.json": _json([_told(scrubber, check, finding) for check, finding in examine(checks(of))]),
        "figures.json": _json(figured),
        "journal.txt": scrubber.text(_journal(machine, are_all_known)),
    }
    if metrics := _metrics(of.settings):
        members["metrics.txt"] = scrubber.text(metrics, may_hold_pins=False)
    packed = {name: text.encode() for name, text in members.items()}
    if has_pictures and folder is not None:
        packed |= _pictures(folder)
        click.echo("strada: the pictures show the table, and whoever sat there: ask them first", err=True)
    write_whole(out, _zipped(packed))
    for name, content in packed.items():
        click.echo(f"{len(content):>9}  {name}")
    click.echo(f"{out} holds this. Look through it before you send it.")


#: A player whom nobody named goes by their colour (companion.games.contract.is_named), which is no secret.
NAMED = "SELECT DISTINCT name FROM seats WHERE lower(trim(name)) != lower(color)"


def known_names(settings: Settings, folder: Path | None, machine: Machine) -> tuple[set[str], bool]:
    """Return everything that is known to be a name here: people's, tables', machines', networks', users', folders'.

    Also returns whether these are all: people's names are in the logbook, which may be what is broken.
    """
    people, are_all = {name for name, color in settings.game.players if is_named(name, color)}, True
    names = {os.uname().nodename, getpass.getuser(), *settings.web.trusted_hosts}
    to = settings.backup.to
    names |= {to, to.partition(":")[2], settings.updates.feed, settings.table.folder, settings.camera.folder}
    names |= {settings.hub.address, settings.hub.name, settings.hub.code}
    names |= {settings.camera.clip, settings.web.certificate, settings.web.key, "" if folder is None else str(folder)}
    if (point := published(PLACE)) is not None:
        names |= {point.name, point.password}
    listed = machine.run(["nmcli", "--terse", "--fields", "NAME", "connection", "show"])
    names |= set(listed.output.splitlines()) if listed is not None and listed.status == 0 else set()
    if folder is not None:
        names |= {each.name for each in (folder / TABLES).glob("*") if each.is_dir()}
        for table in (folder / TABLES).glob("*/table.json"):
            with suppress(OSError, ValueError, AttributeError):
                names.add(str(json.loads(table.read_text("utf-8")).get("name", "")))
        try:
            with opened_to_read(folder) as connection:
                for query in (
                    NAMED,
                    "SELECT DISTINCT who FROM events",
                ):
                    people |= {str(name) for (name,) in connection.execute(query)}
                people |= people_in(connection).names
        except BadInputError:
            are_all = not (folder / FILE).exists()
    # `who` may be "Ada (192.168.1.20)", and people may be called by a part of their name.
    people |= {re.sub(r" \(.*\)$", "", name) for name in people}
    names |= people | {part for name in people for part in re.findall(r"\w{3,}", name)}
    return names - {"", "root", "pi", "strada", "button", "camera", "localhost", SERVICE}, are_all


def _told(scrubber: Scrubber, check: Check, finding: Finding) -> dict[str, Any]:
    facts: dict[str, object] = {}
    for name, fact in finding.facts.items():
        if isinstance(fact, str):
            is_told = name in TOLD and finding.code not in UNTOLD
            facts[name] = scrubber.text(fact) if is_told else OUT
        else:
            facts[name] = fact
    return {"check": check.name, "grade": str(finding.grade), "code": finding.code, "facts": facts}


def _journal(machine: Machine, are_all_known: bool) -> str:
    """Return the end of the service's journal, or why there is none; `are_all_known`: the names to take out of it."""
    units = [word for unit in UNITS for word in ("--unit", unit)]
    command = ["journalctl", *units, "--lines", str(LINES), "--no-pager", "--no-hostname", "--output", "short-iso"]
    ran = machine.run(command)
    if ran is None:
        return "There is no journalctl here, or it did not answer.\n"
    if ran.status != 0 or not ran.output.strip():
        return "The journal cannot be read by this user, or holds nothing of Strada; with sudo it may.\n"
    return ran.output.encode()[-MOST_BYTES:].decode(errors="ignore") if are_all_known else UNKNOWN


def _metrics(settings: Settings) -> str:
    """Return the figures of a companion that runs here; "" if none does, or if it has none."""
    with suppress(OSError):
        text = fetched(f"http://127.0.0.1:{settings.web.port}/metrics", MOST_BYTES, ANSWER_S).decode(errors="replace")
        return text if "strada_" in text else ""
    return ""


def _reading_ms(settings: Settings, folder: Path | None, machine: Machine) -> object:
    """Read the newest pictures once more and return how long each took; or why that was not tried."""
    if folder is None:
        return "a drawn table keeps nothing"
    if holder(machine, folder) is not None:
        return "a companion runs"
    newest = [path for path, _ in pictures(folder) if path.suffix == ".jpg"]
    newest = sorted(newest, key=lambda each: each.stem)[-READ:]
    if not newest:
        return "there are no pictures"
    try:
        return _read_again(settings, folder, newest)
    except Exception as error:  # a report is for what nobody has thought of
        return f"they cannot be read again ({type(error).__name__})"


def _read_again(settings: Settings, folder: Path, photos: list[Path]) -> object:
    from calibration.table import load_photo  # noqa: PLC0415 (OpenCV may be what is broken)
    from companion.setup.learning import learnt  # noqa: PLC0415
    from companion.setup.store import Store  # noqa: PLC0415
    from companion.wiring.cameras import table_of  # noqa: PLC0415

    table = table_of(settings, Store(folder / TABLES))
    if table is None:
        return "no table is set up"
    reader, took_ms = learnt(table).reader, []
    for photo in photos:
        image = load_photo(photo, table.setup.size_px)
        began_s = perf_counter()
        reader.read(image)
        took_ms.append(round(1000 * (perf_counter() - began_s)))
    return took_ms


def _pictures(folder: Path) -> dict[str, bytes]:
    """Return the newest pictures with what was read in them, by name."""
    kept: dict[str, bytes] = {}
    for path, name in sorted(pictures(folder), key=lambda each: each[0].stem)[-2 * PACKED :]:
        with suppress(OSError):  # it was deleted meanwhile to make room
            kept[name] = path.read_bytes()
    return kept


def _zipped(members: dict[str, bytes]) -> Iterator[bytes]:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    yield whole.getvalue()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
