"""`strada run`: the companion at the table, at a drawn one that plays by itself, or without a camera."""

from __future__ import annotations

import faulthandler
import logging
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

import click

from companion.board import BadInputError, NotNowError
from companion.cli.network import keep_inviting
from companion.cli.options import PATH, data_option
from companion.games import GAMES, RULE_SETS
from companion.settings import CameraSettings, Settings
from companion.settings.section import choices, with_given
from companion.system.notify import sd_notify, watchdog_s
from companion.wiring import Companion
from companion.wiring.choices import Beginning, ChosenSettings, choose_settings, kept_in, seated
from companion.wiring.machine import Starts, Terminated, keep_little

#: How long until systemd restarts a companion that cannot run now: long enough never to hit the unit's StartLimitBurst.
AGAIN_S = 30.0

_log = logging.getLogger(__name__)


@click.command()
@click.option("--host", help="Whom to serve: 127.0.0.1 (this machine, the default) or 0.0.0.0 (the local network).")
@click.option("--port", type=click.IntRange(0, 65535), help="The scoreboard's port (8000).")
@click.option("--settings", "path", type=PATH, help="A settings file in TOML.")
@click.option(
    "--last-good",
    type=PATH,
    help="Where settings that ran for a minute are kept, to go on with where FILE cannot be used.",
)
@click.option("--table", "folder", type=PATH, help="The table's folder: table.json and setup/.")
@click.option(
    "--camera",
    type=click.Choice(choices(CameraSettings, "kind")),
    help="Which camera looks at the table; none: the game is kept by hand.",
)
@click.option("--photos", type=PATH, help="The photographs that a folder camera shows.")
@data_option
@click.option("--game", type=click.Choice(list(GAMES)), help="Which game is played, by the rules of its box.")
@click.option(
    "--rules", type=click.Choice(list(RULE_SETS)), help="By which rules; standard where the settings name none."
)
@click.option("--no-safe-mode", is_flag=True, help="With camera and pins, though three starts in a row failed.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), help="Which drawn table, and which games on it.")
def command(
    *,
    host: str | None,
    port: int | None,
    path: Path | None,
    last_good: Path | None,
    folder: Path | None,
    camera: str | None,
    photos: Path | None,
    data: Path | None,
    game: str | None,
    rules: str | None,
    no_safe_mode: bool,
    seed: int | None,
) -> None:
    """Start the companion; if nothing says how, it asks in the browser."""

    def changed(settings: Settings) -> Settings:
        settings = replace(
            settings,
            web=with_given(settings.web, host=host, port=port),
            camera=with_given(settings.camera, kind=camera or (photos and "folder"), folder=photos and str(photos)),
            table=with_given(settings.table, folder=folder and str(folder), seed=seed),
            game=seated(with_given(settings.game, rules=rules or (game and GAMES[game]))),
            logbook=with_given(settings.logbook, folder=data and str(data)),
        )
        return settings.checked()

    chosen = choose_settings(path, last_good, changed)
    is_said = any(each is not None for each in (path, folder, camera, photos, game, rules, seed))
    serve(chosen if is_said else replace(chosen, asks=True), may_be_safe=not no_safe_mode)


def serve(run: ChosenSettings, *, may_be_safe: bool = True) -> None:
    """Run the companion until Ctrl-C or SIGTERM; either ends it within two seconds.

    If the starts before this one failed, `may_be_safe` lets it run without camera and pins. If a keeper chooses another
    way to run, that takes the place of this one.
    """
    keep_little()
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGINT, _interrupt)  # a shell that starts us in the background sets it to be ignored
    if watchdog_s() is not None:
        # The watchdog ends a hang with SIGABRT, which the main thread receives: then that thread's place is written
        # down. With all threads there would be a hundred, and those that wait for phones would come first.
        faulthandler.enable(all_threads=False)
    try:
        with suppress(KeyboardInterrupt), Starts(kept_in(run.settings), may_be_safe, on_sound=run.keep) as starts:
            beginning = Beginning(run.settings, run.asks)
            companion = _made(run, starts, beginning, None)
            _run(companion)
            while (then := _next(run, starts, beginning, companion)) is not None:
                companion = then
                _run(companion, is_first=False)
    except NotNowError as error:
        if sd_notify(f"STATUS=tries again in {AGAIN_S:.0f} s: {error}"):
            time.sleep(AGAIN_S)
        raise


def _made(run: ChosenSettings, starts: Starts, beginning: Beginning, before: Companion | None) -> Companion:
    """Return the companion that does what is to be done now; the keepers of the one before are its keepers, too."""
    keepers = None if before is None else before.keepers
    return Companion(beginning.settings, show_pin, starts, run.warnings, beginning=beginning, keepers=keepers)


def _next(run: ChosenSettings, starts: Starts, beginning: Beginning, before: Companion) -> Companion | None:
    """Return what a keeper has chosen or, if that cannot begin, what there was before; None to end."""
    was = beginning.now, beginning.settings
    if not beginning.go_on(*before.ports):
        return None
    try:
        return _made(run, starts, beginning, before)
    except BadInputError as error:
        _log.warning("what was chosen cannot begin: %s", error)
        beginning.now, beginning.settings = was[0], replace(was[1], web=beginning.settings.web)
        return _made(run, starts, beginning, before)


def _run(companion: Companion, is_first: bool = True) -> None:
    ending = threading.Event()
    try:
        if is_first:
            click.echo(f"Strada is at {'  and  '.join(companion.addresses)}  (Ctrl-C ends it)")
        if is_first and (trust := companion.trust):
            click.echo(f"It is at port {trust.port} under HTTPS; SHA-256 of its certificate: {trust.fingerprint}")
        if sys.stdout.isatty():
            known = (lambda: companion.address_for_others, lambda: companion.wifi, ending)
            threading.Thread(target=keep_inviting, args=known, name="inviting", daemon=True).start()
        companion.run()
    except KeyboardInterrupt:
        click.echo()
        raise
    finally:
        ending.set()
        companion.close()


def show_pin(pin: str) -> None:
    """Write the keeper's PIN on a terminal, and wipe it away once the button is released; it never goes into a log."""
    if sys.stdout.isatty():
        sys.stdout.write(f"\r\x1b[2KThe keeper's PIN: {pin[:3]} {pin[3:]}" if pin else "\r\x1b[2K")
        sys.stdout.flush()


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
